"""The table of patterns, in the order in which a line is asked: the first that matches is what the line says."""

from runs.causes.patterns import code, gpu, hang, machine, network, scheduler

TABLE = (
    *gpu.PATTERNS,
    *network.PATTERNS,
    *machine.PATTERNS,
    *hang.PATTERNS,
    *scheduler.PATTERNS,
    *code.PATTERNS,
)
