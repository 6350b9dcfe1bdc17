"""What tools that look into a hanging run print: torchfrtrace, NCCL RAS, straggler reports."""

from __future__ import annotations

from runs.causes.pattern import Pattern, Strength

ERROR = Strength.ERROR

PATTERNS = (
    Pattern(
        "flight-recorder.missing",
        "hang-flightrec",
        ERROR,
        ("missing ranks: {",),
        "ranks that never called the collective",
        "missing ranks: {1}",
        "torchfrtrace of PyTorch 2.9",
    ),
    Pattern(
        "flight-recorder.mismatch",
        "collective-mismatch",
        ERROR,
        ("Collective", "mismatch"),
        "ranks called different collectives at the same place",
        "Collective ranks 0, 1 mismatch: op types differ, all_reduce and all_gather",
        "torchfrtrace of PyTorch 2.9",
        either=("type mismatch", "size mismatch", "ranks", "state mismatch"),
    ),
    Pattern(
        "flight-recorder.culprit",
        "collective-mismatch",
        ERROR,
        ("error msg: Culprit rank",),
        "ranks called different collectives at the same place",
        "error msg: Culprit rank 6; Error type: SIZE_OR_SYNTAX_MISMATCH, Expected input sizes: '[[4096, 1408]]' does not match",
        "torchfrtrace of PyTorch 2.9",
    ),
    Pattern(
        "ras.counts",
        "hang-ras",
        ERROR,
        ("Communicator ranks have different", "operation counts"),
        "some ranks have launched fewer collectives than others",
        "  Communicator ranks have different AllGather operation counts",
        "NCCL RAS 2.26",
    ),
    Pattern(
        "ras.missing",
        "hang-ras",
        ERROR,
        (),
        "processes that do not answer NCCL's own network",
        "  1 job process is considered dead (unreachable via the RAS network)",
        "NCCL RAS 2.26",
        either=("considered dead", "Missing communicator data", "job processes did not respond", "is unresponsive"),
        owner=None,
    ),
)
