"""Verdicts on tests that load a machine: DCGM's diagnostic, and bandwidth and latency between network cards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from health.checks.context import Context
from health.checks.engine import lead
from health.checks.hca_tools import card_slot
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.validation import Diag, DiagResult, Perftest

# Words in a test's name, and the class of fault that its failure shows.
_CLASSES = (
    ("remap", "gpu.memory"), ("memory", "gpu.memory"), ("memtest", "gpu.memory"), ("pcie", "gpu.pcie"),
    ("nvlink", "nvlink.error"), ("inforom", "gpu.firmware"), ("persistence", "gpu.config"),
)  # fmt: skip
_MACHINE_S_OWN = ("gpu.config", "gpu.suspect")


@check(
    "gpu.diagnostic",
    family="GPU",
    title="DCGM's diagnostic passes",
    part="gpu",
    needs="diag",
    each=False,
    optional=True,
    classes=("gpu.suspect", "gpu.memory", "gpu.pcie", "gpu.firmware", "gpu.config", "nvlink.error"),
    source="NVIDIA DCGM diagnostics documentation, versions 3 and 4",
)
def diagnostic(found: Diag, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """A failed test of some GPUs is theirs; one that fails for all of them or names none is of the machine's set-up."""
    numbers = sorted({gpu for each in found.results for gpu in each.gpus})
    slots = {number: _slot_of(number, len(numbers), found, x) for number in numbers}
    said: dict[str, list[Outcome]] = defaultdict(list)
    passed: set[str] = set()
    failing: dict[str, set[int]] = defaultdict(set)
    for each in found.results:
        if each.status == "FAIL":
            failing[each.test] |= set(each.gpus)
    for each in found.results:
        everyone = len(numbers) > 1 and failing[each.test] == set(numbers)
        parts = [slots[gpu] for gpu in each.gpus] if each.gpus and not (each.status == "FAIL" and everyone) else []
        for part in parts or [MACHINE]:
            if each.status == "PASS":
                passed.add(part)
            else:
                said[part].append(_failed(each, part))
    if found.trouble:
        said[MACHINE].append(unknown(f"the diagnostic did not run all tests: {found.trouble}"))
    for part in dict.fromkeys([*(slots.values() or [MACHINE]), *said]):
        tested = part in passed or (part == MACHINE and slots)
        yield part, lead([*said[part], ok("its tests passed") if tested else unknown("no test was run on it")])


def _slot_of(number: int, listed: int, found: Diag, x: Context) -> str:
    """By serial where the tool gives one; its numbers are nvidia-smi's otherwise."""
    serial = found.serials.get(number)
    if serial:
        known = {x.component(slot.name).serial: slot.name for slot in x.gpu_slots}
        known |= {gpu.serial or "": name for name, gpu in x.gpu_in.items()}
        if serial in known:
            return known[serial]
    slot = x.gpu_slot_of(number, max(listed, len(found.serials)))
    return slot.name if slot else f"GPU of DCGM {number}"


def _failed(each: DiagResult, part: str) -> Outcome:
    said = f"{each.test}: {each.status.lower() or 'no status'}{f': {each.message}' if each.message else ''}"
    if each.status == "SKIP":
        return info(said)
    fault_class = next((name for word, name in _CLASSES if word in each.test.lower()), "gpu.suspect")
    if each.status == "FAIL" and part == MACHINE and fault_class in _MACHINE_S_OWN:
        return fail(said, "gpu.config", action="Read what the test says: it is the set-up of the whole machine.")
    if each.status == "FAIL" and "remapping failed" in each.message:
        return fail(said, fault_class, action="Drain and replace this GPU (RMA).")
    if each.status == "FAIL":
        return fail(said, fault_class)
    return warn(said, fault_class) if each.status == "WARN" else unknown(said)


@check(
    "ib.bandwidth",
    family="InfiniBand",
    title="Bandwidth between two network cards (ib_write_bw)",
    part="hca",
    needs="ib_write_bw",
    each=False,
    optional=True,
    classes=("hca.slow",),
    source="practice of a published 4,088-GPU cluster and of a cloud's H100 machines; perftest",
    limits={
        "ib_write_bw_fail_gbps": 380,
        "ib_write_bw_both_ways_fail_gbps": 720,
        "ib_write_bw_both_ways_without_gpu_fail_gbps": 300,
    },
)
def bandwidth(found: Perftest, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Average of the largest message. Both ways without GPU memory is slower: the memory of the host is the limit."""
    name = "ib_write_bw_fail_gbps"
    if found.bidirectional:
        without = found.gpu_direct is False
        name = f"ib_write_bw_both_ways_{'without_gpu_' if without else ''}fail_gbps"
    limit = x.limit(me, name)
    ways = "both ways" if found.bidirectional else "one way"
    said = f"{found.device or 'a card'}: {found.value:.1f} Gb/s {ways}, {limit:g} is asked"
    yield _measured(found, said, x, slow=found.value < limit)


@check(
    "ib.latency",
    family="InfiniBand",
    title="Latency between two network cards (ib_write_lat)",
    part="hca",
    needs="ib_write_lat",
    each=False,
    optional=True,
    classes=("hca.slow",),
    source="practice of a published 4,088-GPU cluster; perftest",
    limits={"ib_write_lat_p99_fail_us": 4.2},
)
def latency(found: Perftest, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """The 99th percentile: one slow message in a hundred makes every step of a job wait."""
    limit = x.limit(me, "ib_write_lat_p99_fail_us")
    said = f"{found.device or 'a card'}: {found.value:g} us at the 99th percentile, {limit:g} at most"
    yield _measured(found, said, x, slow=found.value > limit)


def _measured(found: Perftest, said: str, x: Context, *, slow: bool) -> tuple[str, Outcome]:
    slot = card_slot(x, device=found.device or "")
    outcome = fail(said, "hca.slow", value=found.value) if slow else ok(said, value=found.value)
    return slot.name if slot else MACHINE, outcome
