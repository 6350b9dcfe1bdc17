"""Verdicts on tests that load all GPUs of a machine, or a group of machines: copies, stress, training, all-reduce."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from core.counts import counted
from health.checks.context import Context
from health.checks.engine import lead
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.all_reduce import AllReduce
from health.checks.parsers.load_tests import CopyBandwidth, CopyTest, GpuStressed, Stress, Training

TO_GPU, FROM_GPU = "host_to_device_memcpy_ce", "device_to_host_memcpy_ce"
BETWEEN = ("device_to_device_memcpy_read_ce", "device_to_device_memcpy_write_ce")
_REPLACE = "Drain and replace this GPU: it computes wrong without saying so."


def _slot(x: Context, index: int, listed: int, uuid: str = "") -> str:
    slot = x.gpu_slot_of(index, listed, uuid or None)
    return slot.name if slot else f"GPU {index} of the test"


# ---- stress ----


@check(
    "gpu.stress",
    family="GPU",
    title="GPUs compute the same under load, and as fast",
    part="gpu",
    needs="gpu_stress",
    each=False,
    optional=True,
    classes=("gpu.suspect", "gpu.thermal"),
    source="practice of a published 4,088-GPU cluster (compare results across GPUs); torch.matmul, seeded",
    limits={"gpu_stress_share_fail": 0.85, "gpu_stress_tflops_fail": 0, "gpu_stress_spread_warn_c": 15},
)
def stress(found: Stress, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Every GPU multiplies the same matrices: whose result differs from most, or from its own, computes wrong."""
    right = _right_results(found.gpus)
    speeds = [gpu.tflops for gpu in found.gpus if gpu.tflops is not None]
    heat = [gpu.celsius for gpu in found.gpus if gpu.celsius is not None]
    usual, coolest = median(speeds) if speeds else None, min(heat, default=None)
    for gpu in found.gpus:
        part = _slot(x, gpu.index, len(found.gpus), gpu.uuid)
        outcomes = [_math(gpu, right, len(found.gpus)), _speed(gpu, usual, x, me)]
        spread = x.limit(me, "gpu_stress_spread_warn_c")
        if gpu.celsius is not None and coolest is not None and gpu.celsius - coolest > spread:
            said = f"{gpu.celsius:g} C, {gpu.celsius - coolest:g} above the coolest GPU, {spread:g} is usual at most"
            outcomes.append(warn(said, "gpu.thermal"))
        yield part, lead(outcomes)


def _right_results(gpus: Sequence[GpuStressed]) -> dict[str, str | None]:
    """By kind of number the result that more than half of the GPUs have; None where nobody can say which is right."""
    kinds = {kind for gpu in gpus for kind in gpu.checksums}
    right: dict[str, str | None] = {}
    for kind in kinds:
        votes = Counter(
            next(iter(sums)) for gpu in gpus if not gpu.trouble and len(sums := gpu.checksums.get(kind, {})) == 1
        )
        best, count = votes.most_common(1)[0] if votes else ("", 0)
        right[kind] = best if 2 * count > sum(votes.values()) else None
    return right


def _math(gpu: GpuStressed, right: dict[str, str | None], listed: int) -> Outcome:
    if gpu.trouble:
        return unknown(f"the stress did not run to its end: {gpu.trouble}")
    if not gpu.checksums or gpu.checksums.keys() != right.keys() or not all(gpu.checksums.values()):
        return unknown("it gave no result to compare")
    for kind, sums in gpu.checksums.items():
        if len(sums) > 1:
            said = f"{kind}: {len(sums)} results of the same product in {sum(sums.values())} runs"
            return fail(said, "gpu.suspect", action=_REPLACE)
        if right[kind] is None:
            return unknown(f"{kind}: the GPUs differ, and no result is that of most")
        if next(iter(sums)) != right[kind]:
            return fail(f"{kind}: another result than most of {listed} GPUs", "gpu.suspect", action=_REPLACE)
    if listed == 1:
        return info("the same result each time; there is no other GPU to compare with")
    runs = sum(sum(sums.values()) for sums in gpu.checksums.values())
    return ok(f"{runs} products as on most of {listed} GPUs", value=gpu.tflops)


def _speed(gpu: GpuStressed, usual: float | None, x: Context, me: CheckDeclaration) -> Outcome:
    if gpu.tflops is None or usual is None:
        return unknown("its speed was not measured")
    share, least = x.limit(me, "gpu_stress_share_fail"), x.limit(me, "gpu_stress_tflops_fail")
    if gpu.tflops < share * usual:
        said = f"{gpu.tflops:.0f} TFLOP/s, the machine's GPUs usually do {usual:.0f}; {share:.0%} of that is asked"
        return fail(said, "gpu.suspect", value=gpu.tflops)
    if least and gpu.tflops < least:
        return fail(f"{gpu.tflops:.0f} TFLOP/s, {least:g} are asked", "gpu.suspect", value=gpu.tflops)
    return ok(f"{gpu.tflops:.0f} TFLOP/s", value=gpu.tflops)


# ---- copies ----


@check(
    "pcie.bandwidth",
    family="PCIe",
    title="Copies between memory and GPUs are fast (nvbandwidth)",
    part="gpu",
    needs="nvbandwidth",
    each=False,
    optional=True,
    classes=("gpu.pcie",),
    source="limits of a cloud's H100 and H200 machines; nvbandwidth",
    limits={"host_copy_fail_gbytes_s": 48},
)
def host_copies(found: CopyBandwidth, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Both ways: a link with half of its lanes, or of a lower generation, copies half as fast."""
    limit = x.limit(me, "host_copy_fail_gbytes_s")
    said: dict[str, list[Outcome]] = {slot.name: [] for slot in x.gpu_slots}
    for name, way in ((TO_GPU, "to"), (FROM_GPU, "from")):
        test = found.test(name)
        row = test.matrix[0] if test and not test.trouble and len(test.matrix) == 1 else ()
        if not row:
            for outcomes in said.values():
                outcomes.append(unknown(f"{name}: {test.trouble or 'not one row' if test else 'not in the output'}"))
        for index, value in enumerate(row):
            said.setdefault(_slot(x, index, len(row)), []).append(_copied(value, way, limit))
    for part, outcomes in said.items():
        yield part, lead(outcomes)


def _copied(value: float | None, way: str, limit: float) -> Outcome:
    if value is None:
        return unknown(f"no copy {way} it was measured")
    said = f"{value:.1f} GB/s {way} the GPU, {limit:g} is asked"
    return fail(said, "gpu.pcie", value=value) if value < limit else ok(said, value=value)


@check(
    "nvlink.bandwidth",
    family="NVLink",
    title="Copies between GPUs are fast (nvbandwidth)",
    part="gpu",
    needs="nvbandwidth",
    each=False,
    optional=True,
    classes=("nvlink.error",),
    source="limits of a cloud's H100 machines; nvbandwidth",
    limits={"gpu_copy_fail_gbytes_s": 335},
)
def gpu_copies(found: CopyBandwidth, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """A GPU that is slow with most of the others is at fault; a lone slow pair is told of the machine."""
    tests = [test for name in BETWEEN if (test := found.test(name))]
    sound = [test for test in tests if not test.trouble and _is_square(test)]
    if not sound or len(sound) < len(tests):
        bad = next((test for test in tests if test not in sound), None)
        why = f"{bad.name}: {bad.trouble or 'the table is not square'}" if bad else "no copy between GPUs in the output"
        for slot in x.gpu_slots:
            yield slot.name, unknown(why)
        return
    size = len(sound[0].matrix)
    limit = x.limit(me, "gpu_copy_fail_gbytes_s")
    pairs = {(a, b): _slowest(sound, a, b) for a in range(size) for b in range(a + 1, size)}
    slow = {pair for pair, value in pairs.items() if value is not None and value < limit}
    unmeasured = {pair for pair, value in pairs.items() if value is None}
    guilty = {gpu for gpu in range(size) if size > 2 and 2 * sum(gpu in pair for pair in slow) > size - 1}
    for gpu in range(size):
        least = min((value for pair, value in pairs.items() if gpu in pair and value is not None), default=None)
        said = f"slowest copy {least:.1f} GB/s, {limit:g} is asked" if least is not None else ""
        part = _slot(x, gpu, size)
        if gpu in guilty:
            count = sum(gpu in pair for pair in slow)
            yield part, fail(f"slow with {count} of {size - 1} GPUs: {said}", "nvlink.error", value=least)
        elif least is None or any(gpu in pair for pair in unmeasured):
            yield part, unknown("not every copy between it and the others was measured")
        else:
            yield part, ok(said, value=least)
    for a, b in sorted(pair for pair in slow if not set(pair) & guilty):
        said = f"{_slot(x, a, size)} and {_slot(x, b, size)} copy {pairs[a, b]:.1f} GB/s, {limit:g} is asked"
        yield MACHINE, fail(said, "nvlink.error", value=pairs[a, b])


def _is_square(test: CopyTest) -> bool:
    return len(test.matrix) > 1 and all(len(row) == len(test.matrix) for row in test.matrix)


def _slowest(tests: Sequence[CopyTest], a: int, b: int) -> float | None:
    """Of both directions and all tests; None when one of them is missing."""
    values = [test.matrix[row][column] for test in tests for row, column in ((a, b), (b, a))]
    return min((value for value in values if value is not None), default=None) if None not in values else None


# ---- collectives and training ----


@check(
    "nvlink.allreduce",
    family="NVLink",
    title="All-reduce is fast and right (all_reduce_perf)",
    needs="all_reduce_perf",
    each=False,
    optional=True,
    classes=("nvlink.error", "gpu.suspect", "hca.slow"),
    source="limits of two clouds' H100 machines; nccl-tests",
    limits={"all_reduce_fail_gbytes_s": 460, "all_reduce_group_fail_gbytes_s": 350},
)
def all_reduce(found: AllReduce, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Bus bandwidth of the largest size; of a group of machines it says that one of them or a link is at fault."""
    group = len(found.machines) > 1
    limit = x.limit(me, f"all_reduce_{'group_' if group else ''}fail_gbytes_s")
    who = counted(len(found.machines), "machine") if group else counted(len(found.devices), "GPU")
    said = f"{found.bus_gbytes_s:.1f} GB/s bus bandwidth over {who}, {limit:g} is asked"
    if found.wrong:
        yield MACHINE, fail(f"{found.wrong} wrong values in the results", "gpu.suspect", value=found.bus_gbytes_s)
    elif found.bus_gbytes_s < limit:
        yield MACHINE, fail(said, "hca.slow" if group else "nvlink.error", value=found.bus_gbytes_s)
    elif found.wrong is None:
        yield MACHINE, unknown(f"the results were not checked; {said}", value=found.bus_gbytes_s)
    elif not group and len(found.devices) < len(x.gpu_slots):
        yield MACHINE, unknown(f"only {len(found.devices)} of {len(x.gpu_slots)} GPUs took part; {said}")
    else:
        yield MACHINE, ok(said, value=found.bus_gbytes_s)


@check(
    "nvlink.allreduce_latency",
    family="NVLink",
    title="Small all-reduces over machines are quick",
    needs="all_reduce_perf",
    each=False,
    optional=True,
    classes=("hca.slow",),
    source="nccl-tests; no limit is shipped, because nobody measured one here",
    limits={
        "all_reduce_latency_us": 0, "all_reduce_latency_doubling_us": 0,
        "all_reduce_latency_usual_us": 0, "all_reduce_latency_usual_times": 1.5,
    },
)  # fmt: skip
def all_reduce_latency(found: AllReduce, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """What the model must reach: its number for two machines, and more for each doubling of them. Where it says
    nothing, what is usual among equal groups of the fleet: far above that is a warning, since nobody promised it."""
    count = len(found.machines)
    if count < 2:
        yield MACHINE, info("one machine alone: its latency is not that of a group")
        return
    value = found.latency_us
    if value is None:
        yield MACHINE, unknown("no small messages were sent, the latency was not measured")
        return
    said = f"{value:.1f} us for small messages over {counted(count, 'machine')}"
    limit, usual = x.limit(me, "all_reduce_latency_us"), x.limit(me, "all_reduce_latency_usual_us")
    if limit:
        limit += x.limit(me, "all_reduce_latency_doubling_us") * math.log2(count / 2)
        said = f"{said}, {limit:.4g} at most is asked"
        yield MACHINE, fail(said, "hca.slow", value=value) if value > limit else ok(said, value=value)
    elif usual:
        said = f"{said}, {usual:.4g} is usual in groups of this size"
        slow = value > usual * x.limit(me, "all_reduce_latency_usual_times")
        yield MACHINE, warn(said, "hca.slow", value=value) if slow else ok(said, value=value)
    else:
        yield MACHINE, info(f"{said}; nothing is known to compare it with", value=value)


@check(
    "machine.training",
    family="machine",
    title="A short training run learns, agrees and is fast",
    needs="training",
    each=False,
    optional=True,
    classes=("gpu.suspect",),
    source="torch DistributedDataParallel; share of the expected speed as a cloud's preflight has it",
    limits={"training_expected_tflops": 0, "training_share_fail": 0.9, "training_rank_share_fail": 0.85},
)
def training(found: Training, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Finite losses that fall, the same weights on every rank, and the speed that the model expects."""
    yield from _slow_ranks(found, x, me)
    if not all(math.isfinite(loss) for loss in found.losses):
        yield MACHINE, fail("the loss is not finite", "gpu.suspect")
        return
    different = Counter(found.checksums)
    if "" in different:
        yield MACHINE, unknown("a rank reported no checksum of its weights")
        return
    if len(different) > 1:
        yield from _odd_ranks(found, different, x)
        return
    if found.losses[-1] >= found.losses[0]:
        yield MACHINE, fail(f"the loss rose from {found.losses[0]:.4g} to {found.losses[-1]:.4g}", "gpu.suspect")
        return
    yield MACHINE, _training_speed(found, x, me)


def _odd_ranks(found: Training, different: Counter[str], x: Context) -> Iterator[tuple[str, Outcome]]:
    most, count = different.most_common(1)[0]
    yield MACHINE, fail(f"the ranks end with {len(different)} different sets of weights", "gpu.suspect")
    if 2 * count > found.world:
        for rank, checksum in enumerate(found.checksums):
            if checksum != most:
                said = "its weights differ from those of most ranks"
                yield _slot(x, rank, found.world), fail(said, "gpu.suspect", action=_REPLACE)


def _slow_ranks(found: Training, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    speeds = [value for value in found.tflops if value is not None]
    share = x.limit(me, "training_rank_share_fail")
    for rank, value in enumerate(found.tflops):
        if value is not None and value < share * median(speeds):
            said = f"{value:.0f} TFLOP/s of its own work, the ranks usually do {median(speeds):.0f}"
            yield _slot(x, rank, found.world), fail(said, "gpu.suspect", value=value)


def _training_speed(found: Training, x: Context, me: CheckDeclaration) -> Outcome:
    speeds = [value for value in found.tflops if value is not None]
    if len(speeds) < found.world:
        return unknown("a rank reported no speed")
    mean = sum(speeds) / len(speeds)
    if found.device != "cuda":
        return unknown(f"it ran on {found.device or 'nothing known'}, not on GPUs", value=mean)
    if found.world < len(x.gpu_slots):
        return unknown(f"only {found.world} of {len(x.gpu_slots)} GPUs took part", value=mean)
    expected, share = x.limit(me, "training_expected_tflops"), x.limit(me, "training_share_fail")
    if expected and mean < share * expected:
        said = f"{mean:.0f} TFLOP/s a GPU, {expected:g} are expected and {share:.0%} of them asked"
        return fail(said, "gpu.suspect", value=mean)
    said = f"{mean:.0f} TFLOP/s a GPU, loss {found.losses[0]:.4g} to {found.losses[-1]:.4g}"
    return ok(said if expected else f"{said}; the model expects no speed", value=mean)
