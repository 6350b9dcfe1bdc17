"""What is asked of Prometheus: one row a kind, with the query that a site begins with. Pure data.

GPUs: the names and labels of NVIDIA's dcgm-exporter 3 and 4. Steps: trainers agree on no names, so these are names of
ours that a site replaces by its own.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    word: str
    of_gpu: bool
    query: str
    """By default."""
    least: float
    most: float
    """What lies outside is no reading; exporters write large numbers where there is none."""


STEP, SECONDS, LOSS, TOKENS = "step", "step_s", "loss", "tokens"
_HOSTS = 'Hostname=~"({machines})([.:].*)?"'

KINDS: dict[str, Kind] = {
    STEP: Kind("Step", False, 'max(training_step{job_id="{job}"})', 0, 2.0**53),
    SECONDS: Kind(
        "Seconds of a step",
        False,
        'sum(rate(training_step_seconds_sum{job_id="{job}"}[1m]))'
        ' / sum(rate(training_step_seconds_count{job_id="{job}"}[1m]))',
        1e-6,
        86_400,
    ),
    LOSS: Kind("Loss", False, 'avg(training_loss{job_id="{job}"})', -1e30, 1e30),
    TOKENS: Kind("Tokens so far", False, 'max(training_tokens_total{job_id="{job}"})', 0, 2.0**62),
    "clock_mhz": Kind("GPU clock", True, f"DCGM_FI_DEV_SM_CLOCK{{{_HOSTS}}}", 1, 10_000),
    "power_w": Kind("GPU power", True, f"DCGM_FI_DEV_POWER_USAGE{{{_HOSTS}}}", 0, 5_000),
    "temperature_c": Kind("GPU temperature", True, f"DCGM_FI_DEV_GPU_TEMP{{{_HOSTS}}}", 1, 200),
    "tensor_active": Kind("GPU tensor activity", True, f"100 * DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{{_HOSTS}}}", 0, 100),
}
OF_RUN = tuple(name for name, kind in KINDS.items() if not kind.of_gpu)
OF_GPU = tuple(name for name, kind in KINDS.items() if kind.of_gpu)
SHIPPED = {name: kind.query for name, kind in KINDS.items()}
