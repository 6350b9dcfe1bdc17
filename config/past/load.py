"""Loads a made-up past into a demo: refuses any other database, writes it in one transaction, and marks the site.

No event goes out for single rows: one `inventory.reloaded` tells open pages to read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import connection, transaction
from django.utils import timezone

from access.models import Endpoint
from config.past import fleet
from config.past.repairs import Ids, Known, Part, Place, Rows
from core.audit.actor import noting
from core.models import Role, Site, User
from core.services import ensure_user
from health.checks.faults import FAULT_CLASSES
from health.models import LifecycleTransition, MachineHealth
from health.monitoring.services import partitions
from inventory.kinds.sql import new_ids
from inventory.models import Installation
from live.events import emit
from simulator.past import story as stories
from simulator.past.faults import KINDS
from simulator.past.people import SHIFTS, Crew
from simulator.past.story import Machine
from tickets.insights.services import ShiftGiven, set_site
from tickets.models import Ticket
from tickets.services.changes import settle_machine

CREW = ("tara", "tomas", "tariq")
"""Made-up technicians, one a shift; nobody can sign in as them."""
RATE, CURRENCY = Decimal("2.20"), "USD"
FRESH = timedelta(days=1)
ACTOR = "demo"
NOTE = "made up, as the past of the demo"


class Refused(Exception):
    """This is no demo, or it has a past already."""


@dataclass(frozen=True)
class Loaded:
    """How many rows went where."""

    rows: Mapping[str, int]
    tickets: int
    machines: int


def refusal(
    *, local: bool, marked: bool, addresses: Sequence[str | None], oldest: datetime | None, now: datetime
) -> str:
    """Why this database may not get a made-up past; empty when it may. Pure.

    A demo is one whose machines all answer on loopback, in an instance that reaches loopback at all, without a record
    of before today.
    """
    if marked:
        return "it has a made-up past already"
    if not local:
        return "its instance does not talk to the virtual hall (RACKSIDE_LOCAL_ADDRESSES is off)"
    if not addresses:
        return "nothing says where its machines answer"
    if any(address is None or not address.startswith("127.") for address in addresses):
        return "some of its machines do not answer on loopback: they are real"
    if oldest is not None and oldest < now - FRESH:
        return "it has a history of its own"
    return ""


def load(slug: str, *, days: int = stories.DAYS, seed: int = 1, now: datetime | None = None) -> Loaded:
    """Write the past of a site. Raises Refused, Site.DoesNotExist."""
    now = now or timezone.now()
    check(Site.objects.get(slug=slug), now)  # before anything is written at all
    for back in range(0, days + 31, 30):  # rows of a month without a partition would lie in the default one
        partitions.maintain(now - timedelta(days=back))
    with noting(note=NOTE), transaction.atomic():
        site = Site.objects.select_for_update(no_key=True).get(slug=slug)
        check(site, now)
        begin = now - timedelta(days=days)
        machines, places = read(site, begin)
        crew = Crew(ZoneInfo(site.timezone), CREW)
        story = stories.tell(
            machines,
            now=now,
            crew=crew,
            priorities={kind.fault_class: FAULT_CLASSES[kind.fault_class].priority for kind in KINDS},
            takes_out={kind.fault_class: FAULT_CLASSES[kind.fault_class].response.takes_out for kind in KINDS},
            days=days,
            seed=seed,
        )
        rows = Rows(known_of(site, begin, places), ids_for(story))
        rows.tell(story)
        forget_adoption([machine.id for machine in machines])
        move_parts(rows.moved)
        written = {table.name: table.copy() for table in rows.tables}
        written |= fleet.write(site, story, begin=begin, now=now, seed=seed)
        set_site(site.pk, rate=RATE, currency=CURRENCY, shifts=[ShiftGiven(*shift) for shift in SHIFTS])
        site.generated_until = now
        site.save(update_fields=["generated_until"])
        settle(rows, story)
        emit(
            "inventory.reloaded",
            site_id=site.pk,
            subject=f"site:{site.pk}",
            actor=ACTOR,
            data={"scope": {"site": site.pk, "slug": site.slug}, "created": {}, "changed": {}},
        )
    return Loaded(written, len(rows.tickets.rows), len(machines))


def check(site: Site, now: datetime) -> None:
    """Raises Refused."""
    oldest = (
        Ticket.objects.filter(site=site).order_by("opened_at").values_list("opened_at", flat=True).first()
        or MachineHealth.objects.filter(machine__device__site=site).exclude(last_seen_at=None).order_by("state_since")
        .values_list("state_since", flat=True).first()
    )  # fmt: skip
    why = refusal(
        local=settings.LOCAL_ADDRESSES,
        marked=site.generated_until is not None,
        addresses=list(Endpoint.objects.filter(machine__device__site=site).values_list("address", flat=True)),
        oldest=oldest,
        now=now,
    )
    if why:
        raise Refused(f"{site.name} gets no made-up past: {why}.")


# ---- reading ----


def read(site: Site, begin: datetime) -> tuple[list[Machine], dict[int, Place]]:
    """The machines that are in service now, with their slots and what sits there. Three queries."""
    give_batches(site)
    sits: dict[int, dict[str, Part]] = {}
    installed = Installation.objects.filter(device__site=site, during__endswith=None, during__startswith__lte=begin)
    for pk, device, slot, component, kind, vendor, number, serial, attributes in installed.values_list(
        "pk", "device_id", "slot", "component_id", "component__kind", "component__vendor", "component__part_number",
        "component__serial", "component__attributes",
    ):  # fmt: skip
        sits.setdefault(device, {})[slot] = Part(component, kind, vendor, number, serial, attributes, pk)
    machines, places = [], {}
    ready = MachineHealth.objects.filter(machine__device__site=site, state="ready")
    for pk, name, spec in ready.order_by("machine__device__name").values_list(
        "pk", "machine__device__name", "machine__device__model__spec"
    ):
        slots: dict[str, list[str]] = {}
        for slot in spec.get("slots", []):
            slots.setdefault(slot["kind"], []).append(slot["name"])
        machines.append(Machine(pk, name, slots))
        labels = {slot["name"]: str(slot.get("label") or "") for slot in spec.get("slots", [])}
        places[pk] = Place(name, labels, sits.get(pk, {}))
    return machines, places


def give_batches(site: Site) -> None:
    """Give every GPU the batch it came in: boxes are unpacked rack by rack, so neighbours share one. One statement."""
    names = [*stories.BATCHES]
    names.sort(key=lambda batch: batch != stories.BAD_BATCH)  # the bad box was unpacked first
    with connection.cursor() as cursor:
        cursor.execute(BATCHES, {"site": site.pk, "names": names, "bad": stories.BAD_BATCH_SHARE})


BATCHES = """
UPDATE inventory_component part SET attributes = part.attributes || jsonb_build_object('batch', box.batch)
FROM (
    SELECT installed.component_id AS id, (%(names)s::text[])[
        CASE WHEN place.share < %(bad)s THEN 1
        ELSE 2 + floor((place.share - %(bad)s) / (1 - %(bad)s) * (cardinality(%(names)s::text[]) - 1))::int END
    ] AS batch
    FROM inventory_installation installed JOIN (
        SELECT id, (row_number() OVER (ORDER BY name) - 1)::float8 / count(*) OVER () AS share
        FROM inventory_device WHERE site_id = %(site)s AND kind = 'machine'
    ) place ON place.id = installed.device_id
    WHERE upper_inf(installed.during)
) box
WHERE part.id = box.id AND part.kind = 'gpu' AND part.site_id = %(site)s
"""


def known_of(site: Site, begin: datetime, places: Mapping[int, Place]) -> Known:
    steps = {(step.from_state, step.event): step.pk for step in LifecycleTransition.objects.all()}
    nobody = make_password(None)
    people = {
        name: ensure_user(name, role=Role.TECHNICIAN, hashed=nobody, password="", site=site, name=name.title())[0].pk
        for name in CREW
    }
    reporter = User.objects.filter(username=Role.OPERATOR.value).values_list("pk", flat=True).first()
    return Known(site.pk, begin, places, steps, people, reporter or people[CREW[0]])


def ids_for(story: stories.Story) -> Ids:
    """Ids of as many rows as the story may have, from the sequences."""
    repairs = len(story.repairs)
    tickets = repairs + len(story.reports) + sum(boot.failed is not None for boot in story.first_boots)
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval('tickets_ticket_number') FROM generate_series(1, %s)", [tickets])
        numbers = [number for (number,) in cursor.fetchall()]
    tries = sum(len(repair.attempts) for repair in story.repairs)

    def some(table: str, count: int) -> Iterator[int]:
        return iter(new_ids(table, count))

    return Ids(
        some("tickets_ticket", tickets), iter(numbers), some("health_fault", repairs),
        some("health_verification", tries), some("inventory_component", repairs),
    )  # fmt: skip


# ---- what was there before ----


def forget_adoption(machines: Sequence[int]) -> None:
    """That a machine was adopted as it is, when the fleet was loaded: it came by its first boot now."""
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM health_lifecyclechange change USING health_lifecycletransition step WHERE "
            "step.id = change.transition_id AND step.from_state = 'new' AND step.event = 'adopt' "
            "AND change.machine_id = ANY(%s)",
            [list(machines)],
        )


def move_parts(moved: Sequence[tuple[int, datetime, str]]) -> None:
    """The parts of now that came with a swap sit there since then; comes before the earlier ones, or they overlap."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE inventory_installation life SET during = tstzrange(told.since, NULL), ticket = told.ticket, "
            "by = 'demo' FROM unnest(%s::bigint[], %s::timestamptz[], %s::text[]) AS told (id, since, ticket) "
            "WHERE life.id = told.id",
            [[row[0] for row in moved], [row[1] for row in moved], [row[2] for row in moved]],
        )


def settle(rows: Rows, story: stories.Story) -> None:
    """Machines are in their state since the last change, and show their open tickets. Last: it locks their rows."""
    since = sorted(rows.last_change.items())
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE health_machinehealth health SET state_since = told.at FROM unnest(%s::bigint[], %s::timestamptz[]) "
            "AS told (id, at) WHERE health.machine_id = told.id AND health.state = 'ready'",
            [[pk for pk, _ in since], [at for _, at in since]],
        )
    for machine in sorted({report.machine for report in story.reports}):
        settle_machine(machine)
