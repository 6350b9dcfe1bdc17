"""Tokens per second and model-FLOPs utilisation. Pure.

Utilisation is the model's FLOPs per token times tokens per second, over what the GPUs could do at most: recomputation
does not count (PaLM, appendix B). Without better numbers a token takes 6 FLOPs per parameter, forward and backward.
"""

from __future__ import annotations

FLOPS_A_PARAMETER = 6
PEAK_FLOPS = {
    # dense BF16, from the vendors' data sheets; a text of the GPU's name: FLOP/s
    "GB200": 2.5e15,
    "B200": 2.25e15,
    "H200": 989e12,
    "H100 PCIe": 756e12,
    "H100": 989e12,
    "H800": 989e12,
    "A100": 312e12,
    "A800": 312e12,
    "MI325": 1307e12,
    "MI300X": 1307e12,
    "MI355": 2500e12,
}


def peak_of(gpu: str) -> float | None:
    """What a GPU of this name can do at most, in FLOP/s; None: not known."""
    return next((peak for text, peak in PEAK_FLOPS.items() if text.lower() in gpu.lower()), None)


def tokens_per_s(tokens: int, seconds: float) -> float | None:
    return tokens / seconds if tokens > 0 and seconds > 0 else None


def utilisation(flops_per_token: float | None, rate: float | None, gpus: int, peak: float | None) -> float | None:
    """0 to 1; None where a number is missing, or where the result could not be (the numbers do not belong together)."""
    if not (flops_per_token and rate and gpus and peak):
        return None
    share = flops_per_token * rate / (gpus * peak)
    return share if share <= 1 else None
