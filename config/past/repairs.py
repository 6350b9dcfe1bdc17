"""The repairs of a story as rows: states, faults, verifications, tickets, swaps and the lives of parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from psycopg.types.json import Jsonb

from config.past.tables import Table
from health.checks.faults import FAULT_CLASSES
from inventory.slot_text import slot_text
from simulator.past.story import FirstBoot, Repair, Report, Story
from tickets import texts
from tickets.models import KEY_PREFIX, WHOLE_MACHINE
from tickets.runbooks.facts import words
from tickets.runbooks.language import Facts
from tickets.runbooks.shipped import shipped, slug_of
from tickets.runbooks.steps import StepText, written
from tickets.services.reports import SEEN_BY_PERSON

HEALTH, PROVISIONING = "health", "provisioning"
ALL_PARTS_FAIL = "rma"


def steps_for(fault_class: str, machine: str, part: str = "") -> list[StepText]:
    """As the shipped runbook has them: a site of the demo has no other in its past."""
    return written(shipped()[slug_of(fault_class)], Facts(words(machine=machine, part=part, fault_class=fault_class)))


@dataclass(frozen=True)
class Place:
    """What the database knows of a machine: labels by slot, and by slot the part that sits there now."""

    name: str
    labels: Mapping[str, str]
    parts: Mapping[str, Part]


@dataclass(frozen=True)
class Part:
    id: int
    kind: str
    vendor: str
    part_number: str
    serial: str
    attributes: Mapping[str, Any]
    installation: int


@dataclass(frozen=True)
class Known:
    """What rows refer to: `transitions` by (state, event), `people` by user name."""

    site: int
    begin: datetime
    places: Mapping[int, Place]
    transitions: Mapping[tuple[str, str], int]
    people: Mapping[str, int]
    reporter: int


@dataclass(frozen=True)
class Ids:
    """Ids taken from the sequences of the tables, and numbers of tickets."""

    tickets: Iterator[int]
    numbers: Iterator[int]
    faults: Iterator[int]
    verifications: Iterator[int]
    components: Iterator[int]


class Rows:
    """All rows of the repairs, in the order in which they have to be written."""

    def __init__(self, known: Known, ids: Ids) -> None:
        self.known, self.ids = known, ids
        self.states = Table(
            "health_lifecyclechange", ("machine_id", "transition_id", "at", "actor", "reason", "evidence")
        )
        self.faults = Table("health_fault", (
            "id", "machine_id", "slot", "fault_class", "precedence", "kind", "status", "checks", "signatures",
            "message", "action", "opened_at", "seen_at", "confirmed_at", "announced_at", "cleared_at", "cleared_by",
            "drain", "response", "start_rung",
        ))  # fmt: skip
        self.fault_evidence = Table("health_faultevidence", (
            "fault_id", "at", "check_id", "part", "verdict", "message", "command", "exit_status", "excerpt", "observed",
        ))  # fmt: skip
        self.verifications = Table("health_verification", (
            "id", "machine_id", "owner", "actor", "status", "requested_at", "boot_id", "at_us", "bmc_at_us", "attempts",
            "next_try_at", "deadline_at", "finished_at", "reason", "results",
        ))  # fmt: skip
        self.verified = Table("health_verification_faults", ("verification_id", "fault_id"))
        self.components = Table(
            "inventory_component",
            ("id", "site_id", "kind", "vendor", "part_number", "serial", "attributes", "condition"),
        )
        self.installations = Table(
            "inventory_installation", ("component_id", "device_id", "slot", "during", "by", "ticket", "place")
        )
        self.tickets = Table("tickets_ticket", (
            "id", "number", "site_id", "subject", "subject_name", "device_id", "machine_id", "part", "fault_class",
            "title", "summary", "status", "priority", "assignee_id", "source", "source_ref", "verification_id", "link",
            "led_wanted", "evidence_count", "version", "opened_at", "updated_at", "closed_at",
        ))  # fmt: skip
        self.links = Table("tickets_ticketfault", ("ticket_id", "fault_id", "last_evidence_id"))
        self.evidence = Table("tickets_evidence", (
            "ticket_id", "at", "source", "check_id", "part", "verdict", "message", "command", "exit_status", "excerpt",
        ))  # fmt: skip
        self.steps = Table("tickets_step", (
            "ticket_id", "number", "kind", "key", "title", "detail", "done_at", "done_by", "swaps", "outcome",
            "outcome_text",
        ))  # fmt: skip
        self.changes = Table("tickets_ticketchange", ("ticket_id", "at", "user_id", "actor", "event", "text", "data"))
        self.swaps = Table("tickets_partswap", (
            "ticket_id", "at", "by_id", "slot", "old_serial", "new_serial", "old_component_id", "new_component_id",
        ))  # fmt: skip
        self.transitions = Table(
            "health_transition", ("machine_id", "at", "check_id", "part", "from_verdict", "to_verdict", "message")
        )
        self.moved: list[tuple[int, datetime, str]] = []
        """(installation of now, since when, ticket): the part of now came with the last swap."""
        self.last_change: dict[int, datetime] = {}
        self._swapped: dict[tuple[int, str], list[tuple[datetime, Repair, int, int]]] = defaultdict(list)

    @property
    def tables(self) -> Sequence[Table]:
        return (
            self.states, self.faults, self.fault_evidence, self.verifications, self.verified, self.components,
            self.installations, self.tickets, self.links, self.evidence, self.steps, self.changes, self.swaps,
            self.transitions,
        )  # fmt: skip

    # ---- the story ----

    def tell(self, story: Story) -> None:
        """Rows of everything, tickets in the order in which they opened so that their numbers are."""
        for boot in story.first_boots:
            self._boot_states(boot)
        tickets: list[tuple[datetime, FirstBoot | Repair | Report]] = []
        tickets += [(boot.failed, boot) for boot in story.first_boots if boot.failed is not None]
        tickets += [(repair.confirmed, repair) for repair in story.repairs]
        tickets += [(report.at, report) for report in story.reports]
        for _, each in sorted(tickets, key=lambda pair: pair[0]):
            if isinstance(each, Repair):
                self._repair(each)
            elif isinstance(each, FirstBoot):
                self._failed_boot(each)
            else:
                self._report(each)
        self._part_lives()
        # Of one machine in the order of time, which is that of their ids.
        self.states.rows.sort(key=lambda row: row[2])

    def _state(self, machine: int, step: tuple[str, str], at: datetime, actor: str, reason: str) -> None:
        self.states.add(machine, self.known.transitions[step], at, actor, reason, {})
        self.last_change[machine] = max(at, self.last_change.get(machine, at))

    def _boot_states(self, boot: FirstBoot) -> None:
        self._state(boot.machine, ("new", "provision"), boot.began, PROVISIONING, "first installation")
        if boot.failed is not None and boot.failure is not None and boot.taken is not None and boot.asked is not None:
            self._state(boot.machine, ("provisioning", "fail"), boot.failed, PROVISIONING, boot.failure[1])
            self._state(boot.machine, ("triage", "start_repair"), boot.taken, boot.technician, "its ticket was taken")
            self._state(boot.machine, ("repair", "provision"), boot.asked, boot.technician, "installed again")
        self._state(boot.machine, ("provisioning", "installed"), boot.installed, PROVISIONING, "the system answers")
        self._state(boot.machine, ("burn_in", "pass"), boot.ready, HEALTH, "burn-in passed")

    def _repair(self, repair: Repair) -> None:
        pk, number, fault = next(self.ids.tickets), next(self.ids.numbers), next(self.ids.faults)
        key = f"{KEY_PREFIX}{number}"
        place, known = self.known.places[repair.machine], FAULT_CLASSES[repair.kind.fault_class]
        label = place.labels.get(repair.slot, "")
        where = slot_text(repair.slot, label)
        message = repair.kind.message.format(part=repair.slot)
        kind = repair.kind
        verifications = [next(self.ids.verifications) for _ in repair.attempts]
        event = kind.check == "gpu.xid"
        self.faults.add(
            fault, repair.machine, repair.slot, kind.fault_class, int(known.precedence), "event" if event else "level",
            "cleared", [kind.check], [], message, known.advice, repair.seen, repair.seen, repair.confirmed,
            repair.confirmed, repair.ended, f"verification {verifications[-1]}",
            "drained" if repair.drained else "", known.response.value, 0,
        )  # fmt: skip
        seen = (repair.seen, kind.check, repair.slot, "fail", message, kind.command, 0, message)
        self.fault_evidence.add(fault, *seen, {})
        self.transitions.add(repair.machine, repair.seen, kind.check, repair.slot, "ok", "fail", message)
        self.transitions.add(repair.machine, repair.ended, kind.check, repair.slot, "fail", "ok", "")
        person = self.known.people[repair.technician]
        self._repair_states(repair, key)
        self.tickets.add(
            pk, number, self.known.site, "machine", "", repair.machine, repair.machine, repair.slot, kind.fault_class,
            texts.title(kind.fault_class, where, place.name), texts.summary(message, known.advice), "closed",
            repair.priority, person, "fault", f"fault:{fault}", verifications[-1], "", False,
            1 + len(repair.attempts), 3 + len(repair.attempts), repair.confirmed, repair.ended, repair.ended,
        )  # fmt: skip
        self.links.add(pk, fault, 0)
        self.evidence.add(pk, repair.seen, "sweep", *seen[1:])
        self._note(pk, repair.confirmed, None, "health check", "", f"Opened: {message}")
        self._note(pk, repair.taken, person, repair.technician, "take", "Taken", **{"from": "open", "to": "in_work"})
        for at, verification in zip(repair.attempts, verifications, strict=True):
            self._attempt(pk, key, repair, fault, verification, at, message)
        specific = steps_for(kind.fault_class, place.name, slot_text(repair.slot, label))
        self._steps(pk, repair, texts.steps(specific, place.name, label))
        if repair.swapped and repair.slot in place.parts:
            self._swapped[repair.machine, repair.slot].append((repair.last_step, repair, pk, number))

    def _repair_states(self, repair: Repair, key: str) -> None:
        if repair.drained is None:  # it is mended while jobs run
            return
        machine, technician = repair.machine, repair.technician
        self._state(
            machine, ("ready", "drain"), repair.confirmed, HEALTH, f"{repair.kind.fault_class} of {repair.slot}"
        )
        self._state(machine, ("draining", "drained"), repair.drained, HEALTH, "no job runs on it any more")
        self._state(machine, ("drained", "start_repair"), repair.taken, technician, f"{key} was taken")
        for asked, ended, passed in repair.attempts:
            self._state(machine, ("repair", "verify"), asked, technician, f"{key}: verification")
            event, reason = ("pass", "verification passed") if passed else ("fail", "verification failed")
            self._state(machine, ("verifying", event), ended, HEALTH, reason)

    def _attempt(
        self, pk: int, key: str, repair: Repair, fault: int, verification: int, at: tuple[datetime, datetime, bool],
        message: str,
    ) -> None:  # fmt: skip
        asked, ended, passed = at
        verdict, said = ("ok", "") if passed else ("fail", message)
        results = [{"check": repair.kind.check, "part": repair.slot, "verdict": verdict, "message": said}]
        self.verifications.add(
            verification, repair.machine, f"ticket:{key}", repair.technician, "passed" if passed else "failed", asked,
            "", -1, -1, 1, asked, asked + timedelta(minutes=15), ended, "" if passed else said, Jsonb(results),
        )  # fmt: skip
        self.verified.add(verification, fault)
        person = self.known.people[repair.technician]
        self._note(
            pk,
            asked,
            person,
            repair.technician,
            "verify",
            "Resolve and verify",
            **{"from": "in_work", "to": "verifying"},
        )
        if passed:
            moved = {"from": "verifying", "to": "closed", "verification": verification}
            self._note(pk, ended, None, HEALTH, "pass", "Verification passed. Closed.", **moved)
            return
        moved = {"from": "verifying", "to": "in_work", "verification": verification}
        self._note(pk, ended, None, HEALTH, "fail", f"Verification failed: {message}", **moved)
        kind = repair.kind
        self.evidence.add(pk, ended, "verification", kind.check, repair.slot, "fail", message, kind.command, 0, message)

    def _steps(self, pk: int, repair: Repair, steps: Sequence[Any]) -> None:
        """All that was done, spread over the visit; what is to be swapped only where it was."""
        last = max(1, len(steps) - 2)
        for n, step in enumerate(steps):
            at: datetime | None = repair.first_step + (repair.last_step - repair.first_step) * min(n, last) / last
            if step.kind == "verify":
                at = repair.attempts[-1][0]
            if step.kind == "swap" and not repair.swapped:
                at = None
            self.steps.add(
                pk,
                n + 1,
                step.kind,
                step.key,
                step.title[:200],
                step.detail,
                at,
                repair.technician if at else "",
                "",
                "",
                "",
            )

    def _note(self, pk: int, at: datetime, user: int | None, actor: str, event: str, text: str, **data: Any) -> None:
        self.changes.add(pk, at, user, actor, event, text, data)

    # ---- first boots and reports ----

    def _failed_boot(self, boot: FirstBoot) -> None:
        assert boot.failure is not None and boot.failed and boot.taken and boot.asked
        pk, number = next(self.ids.tickets), next(self.ids.numbers)
        name, said = boot.failure
        fault_class, place = f"provisioning.{name}", self.known.places[boot.machine]
        person = self.known.people[boot.technician]
        self.tickets.add(
            pk, number, self.known.site, "machine", "", boot.machine, boot.machine, WHOLE_MACHINE, fault_class,
            texts.title(fault_class, WHOLE_MACHINE, place.name), f"{said}.", "closed", "P2", person, PROVISIONING, "",
            None, "", False, 1, 4, boot.failed, boot.installed, boot.installed,
        )  # fmt: skip
        self.evidence.add(pk, boot.failed, PROVISIONING, fault_class, WHOLE_MACHINE, "fail", said, "", None, "")
        self._note(pk, boot.failed, None, PROVISIONING, "", f"Opened: {said}")
        self._note(pk, boot.taken, person, boot.technician, "take", "Taken", **{"from": "open", "to": "in_work"})
        self._note(
            pk,
            boot.asked,
            person,
            boot.technician,
            "verify",
            "Resolve and verify",
            **{"from": "in_work", "to": "verifying"},
        )
        moved = {"from": "verifying", "to": "closed", "run": 0}
        self._note(pk, boot.installed, None, PROVISIONING, "resolved", "Provisioned. Closed.", **moved)
        begun = boot.taken + (boot.asked - boot.taken) * 0.2
        for n, step in enumerate(texts.steps(steps_for(fault_class, place.name), place.name, "")):
            self.steps.add(
                pk, n + 1, step.kind, step.key, step.title[:200], step.detail,
                begun if step.kind != "verify" else boot.asked,
                boot.technician, "", "", "",
            )  # fmt: skip

    def _report(self, report: Report) -> None:
        pk, number = next(self.ids.tickets), next(self.ids.numbers)
        place = self.known.places[report.machine]
        self.tickets.add(
            pk, number, self.known.site, "machine", "", report.machine, report.machine, WHOLE_MACHINE, SEEN_BY_PERSON,
            texts.title(SEEN_BY_PERSON, WHOLE_MACHINE, place.name), f"{report.text}.", "open", report.priority, None,
            "person", "", None, "", True, 0, 1, report.at, report.at, None,
        )  # fmt: skip
        self._note(pk, report.at, self.known.reporter, "Operator", "", f"Opened: {report.text}")
        specific = steps_for(SEEN_BY_PERSON, place.name)
        for n, step in enumerate(texts.steps(specific, place.name, "", texts.in_service(SEEN_BY_PERSON))):
            self.steps.add(pk, n + 1, step.kind, step.key, step.title[:200], step.detail, None, "", "", "", "")

    # ---- parts ----

    def _part_lives(self) -> None:
        """Each part that was swapped out sat in its slot from the part before it, or the begin, to its swap."""
        for (machine, slot), swaps in self._swapped.items():
            now = self.known.places[machine].parts[slot]
            ids = [next(self.ids.components) for _ in swaps]
            serials = [f"{now.serial}-{n + 1}" if now.serial else f"X{pk}" for n, pk in enumerate(ids)]
            since = self.known.begin
            key = ""
            for n, (at, repair, ticket, number) in enumerate(swaps):
                new_id, new_serial = (
                    (ids[n + 1], serials[n + 1]) if n + 1 < len(ids) else (now.id, now.serial or f"Y{now.id}")
                )
                self.components.add(
                    ids[n], self.known.site, now.kind, now.vendor, now.part_number, serials[n],
                    {name: value for name, value in now.attributes.items() if name in ("batch", "firmware", "model")},
                    ALL_PARTS_FAIL,
                )  # fmt: skip
                self.installations.add(
                    ids[n],
                    machine,
                    slot,
                    DateTimeTZRange(since, at),
                    "fleet file" if n == 0 else repair.technician,
                    key,
                    "",
                )
                person = self.known.people[repair.technician]
                self.swaps.add(ticket, at, person, slot, serials[n], new_serial, ids[n], new_id)
                self._note(
                    ticket, at, person, repair.technician, "", f"{slot}: {new_serial} in place of {serials[n]}",
                    slot=slot, serial=new_serial,
                )  # fmt: skip
                since, key = at, f"{KEY_PREFIX}{number}"
            self.moved.append((now.installation, since, key))
