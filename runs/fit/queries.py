"""What is known of the machines of a site before a run starts: one set, all others, the fabric above them.

A fixed number of statements whatever the number of machines. Nothing is evaluated here: health, fabric and inventory
say it, `runs.fit.verdict` decides.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Count, Q

from fabric.discovery.models.seen import FabricLink
from health.checks import catalogue
from health.diagnostics.catalogue import BURN_IN
from health.diagnostics.models import ActiveMachine, ActiveRun, ActiveStep
from health.diagnostics.services.rounds import WHOLE
from health.insights.models import GoldenMachine
from health.machines.lifecycle import State
from health.machines.models.machines import MachineHealth
from health.monitoring.images.queries import held_by
from health.monitoring.models.facts import MachineFacts
from health.monitoring.models.verdicts import CurrentVerdict
from health.overview.queries import matrix
from inventory.models import Port
from inventory.queries.rails import leaves_of, majority
from runs.fit.criteria import CHECKS, OK, UNKNOWN
from runs.fit.facts import BurnIn, Facts, Floor, LinkState, Rail
from runs.fit.verdict import Launch
from runs.machines.queries import spines_of
from runs.queries import engaged

LAUNCH_CHECK = "groups"
"""The kind of active check that is an all-reduce over machines, halved until the bad one is named."""
MEASURED = (("bandwidth", "nvlink.allreduce", min), ("latency", "nvlink.allreduce_latency", max))
"""What a launch check compares with what is expected: by which check, and which of several values is the worst."""


class Measured(NamedTuple):
    """Bandwidth or latency: what its check says of all machines at once, or else of the worst group. `state` as of a
    criterion, `value` None where nothing was measured."""

    id: str
    state: str
    text: str
    value: float | None


class LaunchCheck(NamedTuple):
    """The last launch check on exactly this set."""

    run: ActiveRun
    said: Launch
    bad: Mapping[str, str]
    """By name of a machine what was said against it."""
    measured: tuple[Measured, ...]
    done: int
    total: int


class Gathered(NamedTuple):
    chosen: list[Facts]
    others: list[Facts]
    floor: Floor
    launch: LaunchCheck | None


def gather(site_id: int, chosen: Sequence[int], image: str = "") -> Gathered:
    """The set in the order told, and all others of the site that are neither new nor retired. `image` is the container
    image that must be there, by whatever name people call it."""
    rows = MachineHealth.objects.filter(machine__device__site_id=site_id).filter(
        ~Q(state__in=[State.NEW.value, State.RETIRED.value]) | Q(pk__in=list(chosen))
    )
    columns = (
        "machine_id", "machine__device__name", "machine__device__model__slug", "machine__device__model__gpu_count",
        "cell", "state", "reachability", "worst", "allocation", "ticket_key",
    )  # fmt: skip
    known = list(rows.order_by("machine__device__name").values_list(*columns))
    ids = [row[0] for row in known]
    launch = launch_check(site_id, chosen)
    bad = launch.bad if launch else {}
    golden = set(GoldenMachine.objects.filter(demoted_at=None, machine_id__in=ids).values_list("machine_id", flat=True))
    versions = dict(MachineFacts.objects.filter(machine_id__in=ids).values_list("machine_id", "facts"))
    cells = _cells(rows)
    said, failing = _said(ids)
    busy = set(engaged(site_id))
    images = held_by(ids, image) if image else {}
    rails, links, burn_ins = _rails(ids), _links(site_id, set(ids)), _burn_ins(ids)
    facts = {
        pk: Facts(
            pk, name, model, gpus, cell, state, reachability, worst, failing.get(pk, ""), allocation, ticket,
            pk in golden,
            versions.get(pk, {}), cells.get(pk, {}), said.get(pk, {}), rails.get(pk, ()), links.get(pk, ()),
            burn_ins.get(pk), bad.get(name, "") if pk in chosen else "", images.get(pk), pk in busy,
        )
        for pk, name, model, gpus, cell, state, reachability, worst, allocation, ticket in known
    }  # fmt: skip
    mine = set(chosen)
    return Gathered(
        [facts[pk] for pk in chosen if pk in facts],
        [each for pk, each in facts.items() if pk not in mine],
        Floor(spines_of(site_id)),
        launch,
    )


def _cells(rows: Any) -> dict[int, dict[str, str]]:
    checks = [each for each in catalogue() if each.id in CHECKS]
    names = [each.id for each in checks]
    return {line.machine_id: dict(zip(names, line.cells, strict=True)) for line in matrix.lines(rows, checks)}


def _said(ids: Sequence[int]) -> tuple[dict[int, dict[str, str]], dict[int, str]]:
    """The words of the checks that are not ok, and of the first that fails."""
    said: dict[int, dict[str, str]] = defaultdict(dict)
    failing: dict[int, str] = {}
    rows = CurrentVerdict.objects.filter(machine_id__in=ids).filter(Q(check_id__in=CHECKS) | Q(verdict="fail"))
    order = {"fail": 0, "unknown": 1, "warn": 2, "info": 3}
    told = rows.order_by("machine_id", "check_id", "part").values_list("machine_id", "check_id", "verdict", "message")
    for machine, check, verdict, message in sorted(told, key=lambda row: order[row[2]]):
        said[machine].setdefault(check, message)
        if verdict == "fail":
            failing.setdefault(machine, message)
    return said, failing


def _rails(ids: Sequence[int]) -> dict[int, tuple[Rail, ...]]:
    leaves = leaves_of(list(ids))
    numbers = Port.objects.filter(device_id__in=ids, rail__isnull=False).order_by("device_id", "rail", "id")
    slots: dict[int, dict[str, int]] = defaultdict(dict)
    for device, slot, rail in numbers.values_list("device_id", "slot", "rail"):
        slots[device].setdefault(slot, rail or 0)
    ends: dict[str, Counter[int]] = defaultdict(Counter)
    for device, by_slot in slots.items():
        for slot, rail in by_slot.items():
            if leaf := leaves.get(device, {}).get(slot, ""):
                ends[leaf][rail] += 1
    carries = {leaf: majority(rails) for leaf, rails in ends.items()}
    return {
        device: tuple(
            Rail(rail, leaf := leaves.get(device, {}).get(slot, ""), carries.get(leaf))
            for slot, rail in by_slot.items()
        )
        for device, by_slot in slots.items()
    }


def _links(site_id: int, ids: set[int]) -> dict[int, tuple[LinkState, ...]]:
    """Links of machines as the newest discovery and the counters say; empty where no fabric is read."""
    rows = FabricLink.objects.filter(source__site_id=site_id).filter(
        Q(a_port__device_id__in=ids) | Q(b_port__device_id__in=ids)
    )
    columns = (
        "state", "a_port__device_id", "a_port__name", "b_port__device_id", "b_port__name", "qualities__state",
        "qualities__reason",
    )  # fmt: skip
    found: dict[int, list[LinkState]] = defaultdict(list)
    for state, a, a_name, b, b_name, quality, reason in rows.order_by("key").values_list(*columns):
        for device, name in ((a, a_name), (b, b_name)):
            if device in ids:
                found[device].append(LinkState(name, state, quality or "", reason or ""))
    return {device: tuple(links) for device, links in found.items()}


def _burn_ins(ids: Sequence[int]) -> dict[int, BurnIn]:
    """The last burn-in of each machine that ended with a result."""
    last = (
        ActiveMachine.objects.filter(
            machine_id__in=ids, run__kind=BURN_IN, run__status=ActiveRun.Status.DONE, run__finished_at__isnull=False
        )
        .order_by("machine_id", "-run__finished_at")
        .distinct("machine_id")
        .values_list("machine_id", "run_id", "run__finished_at")
    )
    runs = {machine: (run, at) for machine, run, at in last if at is not None}
    steps = ActiveStep.objects.filter(run_id__in={run for run, _ in runs.values()}).order_by("round", "number")
    told: dict[tuple[int, int], dict[str, tuple[str, str]]] = defaultdict(dict)
    for run, machines, kind, verdict, message in steps.values_list(
        "run_id", "machine_ids", "kind", "verdict", "message"
    ):
        for machine in machines:
            told[run, machine][kind] = verdict, message  # a repeat says it better
    found = {}
    for machine, (run, at) in runs.items():
        results = list(told[run, machine].values())
        failed = next((message for verdict, message in results if verdict == "fail"), None)
        if failed is not None:
            found[machine] = BurnIn(at, False, failed)
        elif results and all(verdict == "pass" for verdict, _ in results):
            found[machine] = BurnIn(at, True)
    return found


# ---- the launch check ----
def launch_check(site_id: int, chosen: Sequence[int]) -> LaunchCheck | None:
    """The newest all-reduce over exactly these machines, and what it says of them. Two statements."""
    if not chosen:
        return None
    runs = ActiveRun.objects.filter(site_id=site_id, kind=LAUNCH_CHECK).annotate(
        whole=Count("machines"), mine=Count("machines", filter=Q(machines__machine_id__in=list(chosen)))
    )
    run = runs.filter(whole=len(chosen), mine=len(chosen)).order_by("-id").first()
    if run is None:
        return None
    bad = {
        name: text
        for said in run.conclusion.values()
        for name, text in (
            *((name, "the launch check found it bad") for name in said.get("bad", ())),
            *(
                (name, f"the launch check found {switch} bad, it is behind it")
                for switch, names in said.get("switches", {}).items()
                for name in names
            ),
        )
    }
    steps = list(run.steps.order_by("round", "number"))
    measured = tuple(_measured(name, check, worst, steps) for name, check, worst in MEASURED)
    over = sum(step.status not in ActiveStep.OPEN for step in steps)
    return LaunchCheck(run, _said_by(run, steps, measured[0]), bad, measured, over, len(steps))


def _measured(name: str, check: str, worst: Callable[..., Any], steps: Sequence[ActiveStep]) -> Measured:
    together = [step for step in steps if step.level == WHOLE and step.status == ActiveStep.Status.DONE]
    rows = [row for step in together or steps for row in step.findings if row.get("check") == check]
    told = [row for row in rows if row.get("value") is not None]
    if not told:
        why = next((row["message"] for row in rows), "") or next((step.message for step in together), "")
        return Measured(name, UNKNOWN, why or "nothing was measured", None)
    row = worst(told, key=lambda row: row["value"])
    return Measured(name, OK if row["verdict"] == "info" else row["verdict"], row["message"], row["value"])


def _said_by(run: ActiveRun, steps: Sequence[ActiveStep], bandwidth: Measured) -> Launch:
    """What the check came to, in a sentence; bandwidth and latency stand beside it."""
    if run.status in ActiveRun.OPEN:
        return Launch("running", _goes_on(run, steps))
    if run.status != ActiveRun.Status.DONE:
        return Launch("unknown", f"it was {run.status}{': ' + run.message if run.message else ''}")
    said = list(run.conclusion.values())
    together = any(step.level == WHOLE and step.attempts for step in steps)
    worst = f"{'all together' if together else 'worst'} {bandwidth.text}"
    named = [name for each in said for name in (*each.get("bad", ()), *each.get("switches", {}))]
    if named:
        return Launch("fail", f"{', '.join(named[:5])}; {worst}")
    whole = next((step for step in steps if step.level == WHOLE), None)
    if whole is not None and whole.verdict == "fail":
        return Launch("fail", f"all together {whole.message}; in parts they pass, nobody is named")
    undecided = [f"{name}: {why}" for each in said for name, why in each.get("undecided", {}).items()]
    if undecided or bandwidth.value is None:
        return Launch("unknown", undecided[0] if undecided else bandwidth.text)
    return Launch("ok", worst)


def _goes_on(run: ActiveRun, steps: Sequence[ActiveStep]) -> str:
    if run.message:
        return run.message
    if not run.rounds:
        return "not begun"
    if all(step.level == WHOLE for step in steps):
        return "all machines together"
    return f"round {run.rounds}: looking for who is at fault"
