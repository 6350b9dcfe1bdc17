"""What would happen: from loads as they are measured now, on the graph that the inventory plans. Pure."""

from facility.judgement.whatif.air import Heat, inlets_warmer, warmed
from facility.judgement.whatif.answers import Answer, RackAnswer, Trip
from facility.judgement.whatif.full_load import all_gpus_full
from facility.judgement.whatif.supply import feed_off, more_machines

__all__ = [
    "Answer", "Heat", "RackAnswer", "Trip", "all_gpus_full", "feed_off", "inlets_warmer", "more_machines", "warmed",
]  # fmt: skip
