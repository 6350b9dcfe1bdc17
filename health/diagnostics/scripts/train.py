"""A short training run on all GPUs of a machine with DistributedDataParallel. One file; needs torch and nothing else.

    python3 -m torch.distributed.run --standalone --nproc-per-node 8 train.py --steps 30
    python3 -m torch.distributed.run --standalone --nproc-per-node 2 train.py --steps 8 --width 64 --device cpu

A small transformer learns to repeat seeded sequences, so the loss must fall; afterwards every rank takes a checksum of
its weights, which must all be equal. TFLOP/s of each rank counts its own forward and backward work, without waiting for
the others, so that a slow GPU shows. Rank 0 prints one line of JSON. Without torch, or without GPUs unless `--device
cpu` is given, it prints an error there and ends with status 3.
"""

import argparse
import json
import os
import sys
import time
from typing import Any


def refuse(reason: str) -> int:
    if os.environ.get("RANK", "0") == "0":
        print(json.dumps({"rackside_training": 1, "error": reason, "complete": False}), flush=True)
    return 3


def flops_of_step(width: int, layers: int, tokens: int, sequence: int, vocabulary: int) -> float:
    """Multiplications and additions of one step, forward and twice that backward; the usual count for transformers."""
    weights = layers * 12 * width * width + vocabulary * width
    attention = layers * 2 * sequence * width
    return 6.0 * tokens * (weights + attention)


def summary(losses: list[float], ranks: list[Any], device: str, asked: argparse.Namespace) -> dict[str, Any]:
    """What rank 0 prints. Losses that are not finite are told as words: JSON has no number for them."""
    finite: list[float | str] = [loss if loss == loss and abs(loss) != float("inf") else str(loss) for loss in losses]
    return {
        "rackside_training": 1, "device": device, "world": len(ranks), "steps": asked.steps, "width": asked.width,
        "losses": finite, "ranks": ranks, "complete": True,
    }  # fmt: skip


def model_of(torch: Any, asked: argparse.Namespace) -> Any:
    class Decoder(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.words = torch.nn.Embedding(asked.vocabulary, asked.width)
            self.places = torch.nn.Parameter(torch.zeros(asked.sequence, asked.width))
            layer = torch.nn.TransformerEncoderLayer(
                asked.width, max(1, asked.width // 64), 4 * asked.width, dropout=0.0, batch_first=True, norm_first=True
            )
            self.layers = torch.nn.TransformerEncoder(layer, asked.layers, enable_nested_tensor=False)
            self.out = torch.nn.Linear(asked.width, asked.vocabulary)

        def forward(self, tokens: Any, mask: Any) -> Any:
            return self.out(self.layers(self.words(tokens) + self.places, mask=mask, is_causal=True))

    torch.manual_seed(20240625)
    return Decoder()


def checksum(torch: Any, model: Any) -> str:
    """Of the bits of all weights, as sixteen hex digits."""
    total = 0
    for number, weights in enumerate(model.parameters(), 1):
        bits = weights.detach().float().contiguous().view(torch.int32).to(torch.int64)
        total = (total + number * int(bits.sum().item())) & 0xFFFFFFFFFFFFFFFF
    return f"{total:016x}"


def train(
    torch: Any, asked: argparse.Namespace, rank: int, world: int, device: Any
) -> tuple[list[float], dict[str, Any]]:
    from torch.nn.parallel import DistributedDataParallel

    model = model_of(torch, asked).to(device)
    on_gpu = device.type == "cuda"
    shared = DistributedDataParallel(model, device_ids=[device.index] if on_gpu else None)
    steps = torch.optim.AdamW(shared.parameters(), lr=asked.rate)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(asked.sequence, device=device)
    drawn = torch.Generator().manual_seed(1000 + rank)
    half = torch.randint(asked.vocabulary, (asked.batch, asked.sequence // 2 + 1), generator=drawn)
    tokens = torch.cat([half, half], dim=1)[:, : asked.sequence + 1].to(device)
    losses: list[float] = []
    spent: list[float] = []
    for _ in range(asked.steps):
        steps.zero_grad(set_to_none=True)
        began = clock(torch, on_gpu)
        with shared.no_sync(), torch.autocast(device.type, dtype=torch.bfloat16, enabled=on_gpu):
            # Its own work alone, to time it; what it leaves in the gradients is thrown away below.
            loss_of(torch, shared.module, tokens, mask).backward()
        spent.append(clock(torch, on_gpu) - began)
        steps.zero_grad(set_to_none=True)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=on_gpu):
            loss = loss_of(torch, shared, tokens, mask)
        loss.backward()
        steps.step()
        mean = loss.detach().clone()
        torch.distributed.all_reduce(mean)
        losses.append(round(mean.item() / world, 5))
    usual = sorted(spent)[len(spent) // 2]
    work = flops_of_step(asked.width, asked.layers, asked.batch * asked.sequence, asked.sequence, asked.vocabulary)
    return losses, {"rank": rank, "tflops": round(work / usual / 1e12, 4), "checksum": checksum(torch, shared.module)}


def loss_of(torch: Any, model: Any, tokens: Any, mask: Any) -> Any:
    said = model(tokens[:, :-1], mask)
    return torch.nn.functional.cross_entropy(said.flatten(0, 1).float(), tokens[:, 1:].flatten())


def clock(torch: Any, on_gpu: bool) -> float:
    if on_gpu:
        torch.cuda.synchronize()
    return time.perf_counter()


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name, usual in (("steps", 30), ("width", 4096), ("layers", 4), ("sequence", 1024), ("batch", 8)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    return parser.parse_args(given)


def main() -> int:
    asked = arguments()
    try:
        import torch
        import torch.distributed
    except ImportError as error:
        return refuse(f"torch cannot be imported: {error}")
    if asked.device == "cuda" and not torch.cuda.is_available():
        return refuse("torch sees no GPU")
    local = int(os.environ.get("LOCAL_RANK", "0"))
    device = torch.device("cuda", local) if asked.device == "cuda" else torch.device("cpu")
    if asked.device == "cuda":
        torch.cuda.set_device(device)
    torch.distributed.init_process_group("nccl" if asked.device == "cuda" else "gloo")
    rank, world = torch.distributed.get_rank(), torch.distributed.get_world_size()
    losses, own = train(torch, asked, rank, world, device)
    ranks: list[Any] = [None] * world
    torch.distributed.all_gather_object(ranks, own)
    torch.distributed.destroy_process_group()
    if rank == 0:
        print(json.dumps(summary(losses, ranks, asked.device, asked)), flush=True)
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # Not sys.exit: a thread of torch that wakes up while Python ends is torn down with "terminate called without an
    # active exception", and a training that went well counts as failed (torch 2.13: 5 of 75 runs on a busy CPU).
    os._exit(status)
