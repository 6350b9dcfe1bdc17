"""The steps between the first login and the checks: base software, tests of the GPUs, InfiniBand links under load.

Each is done by a run of its own (`provisioning.software`, `health.diagnostics`) over all machines of a provisioning run
that wait at the step; the step waits for that one. A look that comes twice finds what the first one began.
"""
