"""The table of patterns, in the order in which a line is asked: the first that matches is what the line says."""

from runs.causes.pattern import Pattern
from runs.causes.patterns import code, gpu, hang, machine, network, scheduler

TABLE = (
    *gpu.PATTERNS,
    *network.PATTERNS,
    *machine.PATTERNS,
    *hang.PATTERNS,
    *scheduler.PATTERNS,
    *code.PATTERNS,
)
_ORDER = tuple((trigger, pattern) for pattern in TABLE for trigger in pattern.triggers)


def pattern_of(text: str) -> Pattern | None:
    """What a line, already without its prefixes, says. A pattern is asked only where one of its triggers stands."""
    for trigger, pattern in _ORDER:
        if trigger in text and pattern.match(text):
            return pattern
    return None
