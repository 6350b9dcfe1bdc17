"""Look at machines: one probe over SSH and one question to the BMC each, and what the checks say of the answers.

Nothing here writes verdicts; identities met for the first time are recorded by `access`. Every way a machine can
disappoint ends in findings that are unknown or fail, never in an exception and never in ok.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime

import structlog
from django.conf import settings
from django.db.models.fields.json import KeyTextTransform
from django.utils import timezone

from access.bmc import BmcFailureKind, BmcResult
from access.queries import bmc_targets, ssh_targets
from access.services import record_bmc_identities, record_identities
from drivers.ssh import Limits, SshResult, SshTarget
from health.checks import CHECKS_VERSION, MACHINE, Expectation, Memory, counters_of, evaluate, layout, readings_of
from health.checks.measured import measured
from health.checks.model import ExpectedComponent, ProfileRead
from health.checks.parsers import ParseError
from health.checks.parsers.bmc import BmcReport, parse_bmc
from health.checks.parsers.gpus import GpuReport
from health.checks.parsers.system import image_of
from health.checks.per_model import per_model
from health.checks.probes.script import ProbeError, ProbeReport, parse_probe, probe_commands, probe_script
from health.checks.sources import Reading
from health.checks.watched import GPUS
from health.machines import restarts
from health.machines.lifecycle import State
from health.machines.specs import slot_names, spec_of, why_unusable
from health.monitoring import hooks
from health.monitoring.bmc_logs import LogMemory, remember
from health.monitoring.facts import facts_of
from health.monitoring.images.seen import images_of
from health.monitoring.policy import NO_POLICY, MachinePolicy, Place
from health.monitoring.queries.policy import policies_at
from health.monitoring.services.sweeps import carryover
from health.monitoring.services.sweeps.carryover import NOTHING_LEFT, Counted, Leaving, Left
from health.monitoring.services.sweeps.observation_store import without_verdicts
from health.monitoring.services.sweeps.processes import processes_of
from health.monitoring.services.sweeps.sessions import PATIENT, Answer, Asking, Pace, Questions
from health.monitoring.services.sweeps.stored import Observation
from health.monitoring.services.sweeps.unjudged import Unjudged
from health.monitoring.services.sweeps.unjudged import observations as unjudged_observations
from inventory.models import Installation, Machine
from inventory.specs.device_model import DeviceModelSpec

log = structlog.get_logger(__name__)

# One command that hangs takes its own limit (25 s for the slowest) and the rest still comes; with connecting and
# logging in a machine stays below the 60 s a shard may take.
PROBE_TIMEOUT_S = 45
LOGIN_TIMEOUT_S = 5
FIRST_OUTPUT_S = 15
"""The script prints before its first command; what comes before takes a second, and a sudo that asks a name server."""
GRACE_S = 8
"""A command that cannot be killed is given up 3 s after its limit, and the next output is then printed at once."""
OUTPUT_CAP_BYTES = 8 * 1024 * 1024
MOST_REMEMBERED = 4_096
"""Machines of which a process remembers the last look; each takes about 200 kB."""


@per_model
def probe_limits(spec: DeviceModelSpec) -> Limits:
    """What the probe of a model may take: between two outputs no longer than its slowest command."""
    return Limits(
        login_timeout_s=LOGIN_TIMEOUT_S,
        command_timeout_s=PROBE_TIMEOUT_S,
        output_cap_bytes=OUTPUT_CAP_BYTES,
        first_output_timeout_s=FIRST_OUTPUT_S,
        silence_timeout_s=max(seconds for seconds, _ in probe_commands(spec)) + GRACE_S,
    )


@dataclass(frozen=True)
class Subject:
    """A machine to look at, and what a healthy one of it answers."""

    machine_id: int
    name: str
    spec: DeviceModelSpec
    expectation: Expectation
    policy: MachinePolicy = NO_POLICY
    left: Left = NOTHING_LEFT
    afresh: bool = False
    in_service_since: datetime | None = None

    def log_is_due(self, now: datetime) -> bool:
        due = self.left.log.is_due(self.machine_id, now, settings.BMC_LOG_PERIOD_S)
        return self.expectation.bmc_expected and (self.afresh or due)


def prepared(machine_ids: Sequence[int], *, afresh: bool = False) -> tuple[list[Subject], list[Unjudged]]:
    """What to expect of these machines, in the order of their ids, and which cannot be judged at all. Eight queries.

    `afresh` is for a look that asks what happened since the last one, as a verification does: counters are compared
    with the last look however short ago it was, and the BMC's logs are read now.
    """
    machines = list(Machine.objects.filter(pk__in=machine_ids).select_related("device__model", "health").order_by("pk"))
    policies = policies_at(Place(m.pk, m.device.site_id, m.device.model_id) for m in machines)
    installed = _installed(machine_ids)
    left = carryover.read(machine_ids)
    profiles = hooks.bmc_profiles()(machine_ids)
    found: list[Subject] = []
    unjudged: list[Unjudged] = []
    for machine in machines:
        policy, before = policies[machine.pk], left.get(machine.pk, NOTHING_LEFT)
        parts, profile = installed.get(machine.pk, {}), profiles.get(machine.pk)
        try:
            found.append(_subject(machine, parts, policy, before, profile, afresh=afresh))
        except Exception as error:  # one model that cannot be used must not blind the machines of the others
            unjudged.append(_unusable(machine, policy, error))
    return found, unjudged


def _installed(machine_ids: Sequence[int]) -> dict[int, dict[str, ExpectedComponent]]:
    """What is expected in the slots of each machine. Columns, not models: sixty rows a machine, in every sweep."""
    found: dict[int, dict[str, ExpectedComponent]] = defaultdict(dict)
    rows = Installation.objects.filter(device_id__in=machine_ids, during__endswith=None).values_list(
        "device_id",
        "slot",
        "component__serial",
        KeyTextTransform("uuid", "component__attributes"),
        "component__part_number",
        KeyTextTransform("guid", "component__attributes"),
    )
    for device, slot, serial, uuid, part_number, guid in rows:
        found[device][slot] = ExpectedComponent(serial, uuid or "", part_number, guid or "")
    return found


def _subject(
    machine: Machine, components: Mapping[str, ExpectedComponent], policy: MachinePolicy, left: Left,
    profile: ProfileRead | None, *, afresh: bool,
) -> Subject:  # fmt: skip
    """Raises what makes its model unusable, down to the probe's script and the places that get verdicts."""
    spec = spec_of(machine.device.model.spec)
    layout(spec)
    probe_script(spec)
    health = getattr(machine, "health", None)
    expectation = Expectation(
        model=spec,
        components=components,
        machine_name=machine.device.name,
        serial=machine.device.service_tag or machine.device.serial,
        thresholds_of=policy.thresholds_of,
        bmc_expected=machine.bmc_ip is not None,
        bmc_profile=profile,
    )
    since = health.state_since if health and health.state == State.READY else None
    return Subject(machine.pk, machine.device.name, spec, expectation, policy, left, afresh, since)


def _unusable(machine: Machine, policy: MachinePolicy, error: Exception) -> Unjudged:
    model = machine.device.model
    reason = why_unusable(model.slug, model.spec)
    if not reason:
        log.exception("model_unusable", machine=machine.pk, model=model.slug)
        reason = f"the device model {model.slug}'s spec cannot be used: {type(error).__name__}: {error}"
    return Unjudged(machine.pk, reason, model.slug, slot_names(model.spec), policy)


@dataclass(frozen=True)
class Seen:
    """What one look saw of a machine, how long it took, and where it kept us waiting beyond its time, if it did."""

    observation: Observation
    took_s: float = 0.0
    kept_waiting: str = ""


class Memories:
    """What this process remembers of the machines that it looks at; of more than `most` it remembers only the first.

    A shard may come to another process (`familiar`): what is remembered of an older look holds as long as the outputs
    are those of that look. One look has it at a time: what two of them said of one machine must not be mixed.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._held: dict[int, Memory] = {}
        self._lock = threading.Lock()

    @contextmanager
    def of(self, machine_id: int) -> Generator[Memory | None, None, None]:
        """The memory of this machine for one look; None, and everything is judged, where another thread looks."""
        if not self._lock.acquire(blocking=False):
            yield None
            return
        try:
            if machine_id not in self._held and len(self._held) >= self.most:
                yield None
            else:
                yield self._held.setdefault(machine_id, Memory())
        finally:
            self._lock.release()

    def known(self, machine_ids: Iterable[int]) -> int:
        """Of how many of these machines something is remembered."""
        return sum(pk in self._held for pk in machine_ids)

    def forget(self) -> None:
        with self._lock:
            self._held.clear()


MEMORIES = Memories(MOST_REMEMBERED)


class Watch:
    """A look at these machines now: iterate for what was seen, in batches as the machines answer.

    Every machine that exists is seen, whether it answers or not, except those that were not waited for: they are in
    `unanswered` afterwards, and nothing is said of them. `answered_s` are the seconds until the last answer.
    """

    def __init__(
        self, machine_ids: Sequence[int], *, pace: Pace = PATIENT, actor: str = "sweep", afresh: bool = False
    ) -> None:
        found, self._unjudged = prepared(machine_ids, afresh=afresh)
        self._subjects = {subject.machine_id: subject for subject in found}
        self._asking = Asking(questions(found), pace)
        self._actor = actor
        self._memories = MEMORIES if pace.keeps else None

    @property
    def unanswered(self) -> list[int]:
        return self._asking.unanswered

    @property
    def answered_s(self) -> float:
        return self._asking.answered_s

    def __iter__(self) -> Generator[list[Seen], None, None]:
        if self._unjudged:
            yield [Seen(look) for look in unjudged_observations(self._unjudged, timezone.now())]
        with closing(iter(self._asking)) as batches:
            for batch in batches:
                record_identities([answer.ssh for answer in batch if answer.ssh], actor=self._actor)
                record_bmc_identities([answer.bmc for answer in batch if answer.bmc], actor=self._actor)
                yield [self._seen(answer) for answer in batch]

    def _seen(self, answer: Answer) -> Seen:
        with self._memories.of(answer.machine_id) if self._memories is not None else nullcontext() as memory:
            look = judge_answer(self._subjects[answer.machine_id], answer.ssh, answer.at, answer.bmc, memory)
        return Seen(look, answer.took_s, answer.kept_waiting)


def questions(wanted: Sequence[Subject]) -> Questions:
    """Where and what to ask of these subjects. Eight queries."""
    ids = [subject.machine_id for subject in wanted]
    targets = {target.machine_id: target for target in ssh_targets(ids)}
    scripts: dict[str, tuple[Limits, list[SshTarget]]] = {}
    for subject in wanted:
        if subject.machine_id in targets:
            _, some = scripts.setdefault(probe_script(subject.spec), (probe_limits(subject.spec), []))
            some.append(targets[subject.machine_id])
    now = timezone.now()
    return Questions(
        ids,
        scripts,
        bmc_targets([subject.machine_id for subject in wanted if subject.expectation.bmc_expected]),
        {subject.machine_id: subject.left.log.cursors for subject in wanted if subject.log_is_due(now)},
    )


def judge_answer(
    subject: Subject,
    answer: SshResult | None,
    at: datetime,
    bmc_answer: BmcResult | None,
    memory: Memory | None = None,
) -> Observation:
    """What one machine's answers mean. Never raises: what no check was made for makes the machine unknown.

    With `memory` what is the same as at the last look is not read and judged again.
    """
    try:
        report, unreachable = read_answer(answer, at, memory)
        bmc = read_bmc(bmc_answer)
        logs = read_logs(subject, bmc_answer, at)
        return observation_of(subject, report, bmc, logs, unreachable=unreachable, at=at, memory=memory)
    except Exception as error:
        log.exception("checks_failed", machine=subject.machine_id)
        reason = f"its answer could not be evaluated ({type(error).__name__}: {error})"
        return without_verdicts(_bare(subject, at), reason)


def _bare(subject: Subject, at: datetime) -> Observation:
    """A look at a machine before anything was heard."""
    return Observation(
        machine_id=subject.machine_id,
        at=at,
        heard=False,
        boot_id="",
        findings=(),
        layout=layout(subject.spec),
        model=subject.spec.model,
        checks_version=CHECKS_VERSION,
        slots=frozenset(slot.name for slot in subject.spec.slots),
        policy=subject.policy,
    )


def read_answer(
    answer: SshResult | None, at: datetime, memory: Memory | None = None
) -> tuple[ProbeReport | None, str | None]:
    """The probe report, or why there is none."""
    if answer is None:
        return None, "no address is known"
    if answer.failure is not None:
        return None, str(answer.failure)
    try:
        received_at = answer.answered_at or at.timestamp()
        known = memory.digests if memory is not None else None
        return parse_probe(answer.stdout, received_at=received_at, asked_at=answer.asked_at, known=known), None
    except ProbeError as error:
        return None, f"the answer could not be read: {error}"
    except Exception as error:  # a parser that trips over junk must not take the other 63 machines with it
        log.exception("probe_parser_failed", machine=answer.target.machine_id)
        return None, f"the answer could not be read: {type(error).__name__}"


def read_bmc(answer: BmcResult | None) -> BmcReport | None:
    """What the BMC said, or that it did not; None when no BMC is expected."""
    if answer is None:
        return None
    if answer.answers is None:
        kind = answer.failure.kind if answer.failure else None
        return BmcReport.unreachable(str(answer.failure), refused=kind is BmcFailureKind.AUTH_DENIED)
    try:
        said = answer.answers
        return parse_bmc(
            said.system,
            said.chassis,
            said.thermal,
            said.power,
            said.manager,
            thermal_subsystem=said.thermal_subsystem,
            power_subsystem=said.power_subsystem,
            environment=said.environment,
            sensors=said.sensors,
            board=said.board,
            dialect=said.dialect,
            vendor=said.vendor,
        )
    except Exception as error:
        if not isinstance(error, ParseError):
            log.exception("bmc_parser_failed", machine=answer.target.machine_id)
        return BmcReport.unreachable(f"the answer could not be read: {error}")


def read_logs(subject: Subject, answer: BmcResult | None, at: datetime) -> LogMemory | None:
    """What is to be remembered of the BMC's logs after this look; None when they were not asked for."""
    if answer is None or answer.answers is None or (answer.logs is None and not answer.logs_failure):
        return None
    keep = settings.KEPT["bmc_log_entries"]
    return remember(subject.left.log, answer.logs, answer.logs_failure, at, subject.spec, keep=keep)


def observation_of(
    subject: Subject,
    report: ProbeReport | None,
    bmc: BmcReport | None,
    logs: LogMemory | None = None,
    *,
    unreachable: str | None,
    at: datetime,
    memory: Memory | None = None,
) -> Observation:
    """The findings of one look. Raises what an answer can hold that nothing was made for."""
    heard = readings_of(report, memory) if report else {}
    image = _image(heard)
    restarted_at = _restarted_at(subject, report) if report else None
    expectation = replace(
        subject.expectation,
        kernel_lines=subject.policy.kernel_lines_of(image),
        earlier=subject.left.earlier(report.time, afresh=subject.afresh) if report else None,
        restarted_at=restarted_at,
    )
    log_now = (logs or subject.left.log).judged(at, settings.BMC_LOG_PERIOD_S)
    findings = tuple(
        evaluate(report, bmc, expectation, unreachable=unreachable, bmc_log=log_now, heard=heard, memory=memory)
    )
    leaves = leaving(subject, report, heard, bmc, logs, at, restarted_at)
    return replace(
        _bare(subject, at),
        heard=report is not None,
        boot_id=report.boot_id[:36] if report else "",
        findings=findings,
        power=_power(bmc),
        draw_w=round(bmc.draw_w) if bmc is not None and bmc.draw_w is not None else None,
        measured=measured(bmc, _gpus(heard)),
        leaves=leaves,
        image=image,
    )


def leaving(
    subject: Subject,
    report: ProbeReport | None,
    heard: Mapping[str, Reading],
    bmc: BmcReport | None,
    logs: LogMemory | None,
    at: datetime,
    restarted_at: float | None = None,
) -> Leaving:
    """What this look leaves for the next."""
    counted = None
    if report:
        counters = counters_of(report, heard, subject.spec)
        if restarted_at is not None:
            counters.setdefault(MACHINE, {})[restarts.COUNTER] = int(restarted_at)
        counted = Counted(report.time, report.boot_id[:36], counters)
    processes = processes_of(report, heard, subject.expectation, at.timestamp()) if report else None
    images = images_of(heard) if report else None
    return Leaving(counted, facts_of(heard, bmc if bmc and not bmc.error else None), logs, processes, images)


def _restarted_at(subject: Subject, report: ProbeReport) -> float | None:
    last = subject.left.last
    before = (last.boot_id, last.at_s, last.counters.get(MACHINE, {})) if last else None
    since = subject.in_service_since.timestamp() if subject.in_service_since else None
    return restarts.restarted_at(report.boot_id[:36], report.time - report.uptime_s, before, since)


def _image(heard: Mapping[str, Reading]) -> str:
    """Distribution and kernel that the machine runs; empty where they were not read."""
    reading = heard.get("release")
    return image_of(reading.text) if reading else ""


def _gpus(heard: Mapping[str, Reading]) -> GpuReport | None:
    reading = heard.get(GPUS)
    return reading.data if reading and isinstance(reading.data, GpuReport) else None


def _power(bmc: BmcReport | None) -> str:
    return bmc.power if bmc is not None and bmc.power in ("on", "off") else "unknown"
