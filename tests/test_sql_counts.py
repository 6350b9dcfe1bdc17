"""How many SQL statements each list and each write costs: the same for 3 rows and for 10, and as pinned in a file.

Lists are measured among 10 rows in every change, and among 3 with `--all`: one pin for both.

The kinds come from `inventory.kinds.KINDS` and the lists from the OpenAPI schema, so a new one is counted without
anybody thinking of it. After a change that is meant: `RACKSIDE_WRITE_SQL_COUNTS=1 pytest tests/test_sql_counts.py`,
and look at the difference of tests/sql_counts.json.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import time
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import Role, Site, User
from core.services import ensure_user
from health.checks.faults import FAULT_CLASSES
from inventory.kinds import KINDS, Scope, write
from inventory.models import Machine
from provisioning.models import BmcRun, Delivery, ImagePlacement, Mirror, Run, Step
from provisioning.steps import INSTALL
from tests import fabric_rows
from tests.kept_rows import once
from tests.schema import api_document, of_those
from tests.sql_counts_rows import World, change
from tickets.models import (
    Bookmark,
    Channel,
    EscalationPolicy,
    ExternalItem,
    ExternalLink,
    InboundMail,
    Message,
    MessageRule,
    Rota,
    RunbookChoice,
    ShiftNote,
    Ticket,
    TicketSystem,
    VendorCase,
    VendorContact,
)
from tickets.models import Shift as InsightShift

SMALL, LARGE = 3, 10
PINS = Path(__file__).with_name("sql_counts.json")
PER_ROW = {"kind sites"}  # every site hears of its own change
WRITE = os.environ.get("RACKSIDE_WRITE_SQL_COUNTS") == "1"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@contextmanager
def undone() -> Iterator[None]:
    """What happens inside leaves nothing."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def statements(work: Callable[[], Any]) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        work()
    return [query["sql"] for query in captured.captured_queries]


def cost(subject: str, operation: str, by_size: dict[int, list[str]]) -> int | str:
    """The number of statements, the same for both sizes where both were measured; of sites also how many each adds."""
    if len(by_size) == 1:
        return len(*by_size.values())
    small, large = len(by_size[SMALL]), len(by_size[LARGE])
    each, rest = divmod(large - small, LARGE - SMALL)
    if subject in PER_ROW and each and not rest:
        return f"{small - SMALL * each} and {each} for each row"
    assert small == large, (
        f"{subject}: {operation} of {SMALL} rows takes {small} statements and of {LARGE} {large}:\n"
        + listed(by_size[LARGE])
    )
    return small


def compare(subject: str, found: dict[str, dict[int, list[str]]]) -> None:
    """Both sizes against each other, then against the file; a difference shows the SQL."""
    counts = {operation: cost(subject, operation, by_size) for operation, by_size in sorted(found.items())}
    pins = json.loads(PINS.read_text()) if PINS.exists() else {}
    if WRITE:
        pins[subject] = counts
        PINS.write_text(json.dumps(pins, indent=2, sort_keys=True) + "\n")
        return
    assert subject in pins, f"{subject} is not in {PINS.name}: {counts}"
    wrong = {name: count for name, count in counts.items() if pins[subject].get(name) != count}
    shown = "\n".join(
        f"{name}: pinned {pins[subject].get(name)}\n{listed(found[name][min(found[name])])}" for name in wrong
    )
    assert not wrong, f"{subject}: {wrong}\n{shown}"
    assert set(pins[subject]) == set(counts), f"{subject}: the file has operations that are gone"


def listed(queries: list[str]) -> str:
    return "\n".join(f"  {number:3}. {(sql or 'COPY')[:300]}" for number, sql in enumerate(queries, 1))


# ---- writes, by kind ----


def engine_costs(name: str, size: int) -> dict[str, list[str]]:
    """Statements of importing this many rows: new, once more, changed, and removed again."""
    kind, world = KINDS[name], World()
    rows = world.rows(name, size)
    reports: list[Any] = []

    def put(rows: Any, mode: Any, **more: Any) -> Callable[[], None]:
        def work() -> None:
            reports.append(write(kind, rows, mode, scope=Scope.everything(), actor="tests", **more))
            assert reports[-1].ok, f"{mode} {name}: {[row.as_dict() for row in reports[-1].errors()[:3]]}"

        return work

    costs = {"import, dry run": statements(put(rows, "upsert", dry_run=True))}
    costs["import, all new"] = statements(put(rows, "create"))
    ids = [row.id for row in reports[-1].rows]
    known = [{**row, "id": pk} for row, pk in zip(rows, ids, strict=True)]
    costs["import, nothing changes"] = statements(put(known, "upsert"))
    assert reports[-1].unchanged == size
    changed = [{"id": pk, **change(kind, number)} for number, pk in enumerate(ids)]
    costs["import, all change"] = statements(put(changed, "update"))
    assert reports[-1].changed == size, reports[-1].counts
    costs["delete by id"] = statements(put([{"id": pk} for pk in ids], "delete"))
    assert reports[-1].deleted == size
    return costs


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(KINDS))
def test_writing_many_records_costs_what_writing_few_does(name: str) -> None:
    found: dict[str, dict[int, list[str]]] = {}
    for size in (SMALL, LARGE):
        with undone():
            for operation, queries in engine_costs(name, size).items():
                found.setdefault(operation, {})[size] = queries
    compare(f"kind {name}", found)


# ---- lists and single records ----


@cache
def readable() -> list[str]:
    paths = api_document()["paths"]
    return sorted(path for path, methods in paths.items() if "get" in methods and path.endswith("/"))


def lists() -> list[str]:
    """Every GET without a parameter in its path. Exports and the stream of events are left out: they read on and on."""
    return [path for path in readable() if "{" not in path and path != "/api/events/stream/"]


def records() -> list[str]:
    """Every GET of one record, and of what hangs on one, whose list is a route too."""
    return [path for path in readable() if path.count("{") == 1 and path.partition("{")[0] in lists()]


def fill(size: int) -> None:
    """Records of every kind, machines with faults, tickets and verdicts, and every table of the fabric."""
    once(("world", size), lambda: make_world(size))


def make_world(size: int) -> None:
    from health.monitoring.services.sweeps import observation_store
    from health.tests import factories as make

    world = World()
    for name in KINDS:
        if name != "device-models" and name not in world.ids:
            world.make(name, size)
    machines = make.make_machines(size, site="ams1", automation="on")
    observation_store.record([make.look(machine, make.xid(), make.gone(), at=timezone.now()) for machine in machines])
    fabric_rows.fill(size)
    fill_provisioning(machines)
    fill_vendors(machines)
    fill_messages(machines, ensure_user("root", role=Role.ADMIN)[0])


def fill_provisioning(machines: list[Machine]) -> None:
    """What is named by its number alone: a list that is empty would count its record as one that is not there."""
    site = machines[0].device.site
    delivery = Delivery.objects.create(site=site, order="PO-1", received_by="olga")
    run = Run.objects.create(site=site, limit=1, created_by="olga")
    for number, machine in enumerate(machines):
        delivery.items.create(number=number, service_tag=f"tag{number}", machine=machine)
        in_run = run.machines.create(machine=machine, status="waiting" if number else "running")
        in_run.steps.bulk_create(
            Step(run_machine=in_run, number=at, name=step, title=step) for at, step in enumerate(INSTALL.steps, 1)
        )
        Mirror.objects.create(site=site, name=f"m{number}", kind="apt", url=f"http://m{number}.example")
        placed = ImagePlacement.objects.create(site=site, action="place", engine="docker", reference=f"r/i:{number}")
        placed.machines.create(machine=machine)
        BmcRun.objects.create(site=site, action="password").machines.create(machine=machine)


def fill_vendors(machines: list[Machine]) -> None:
    """A case for the ticket of each machine, a contact for each site."""
    for site in Site.objects.order_by("pk")[: len(machines)]:
        VendorContact.objects.create(site=site, vendor="dell")
    for ticket in Ticket.objects.filter(machine__in=machines).select_related("machine"):
        case = VendorCase.objects.create(
            site_id=ticket.site_id, ticket=ticket, machine=ticket.machine, vendor="dell", opened_by="olga"
        )
        case.changes.create(actor="olga", state="draft", text="opened as a draft")
        case.bundles.create(created_by="olga", status="done")


def fill_messages(machines: list[Machine], owner: User) -> None:
    """Who is told of a ticket and by what, what people keep, and which runbook a site chose."""
    now, site, classes = timezone.now(), machines[0].device.site, sorted(FAULT_CLASSES)
    for number, ticket in enumerate(Ticket.objects.filter(machine__in=machines)):
        channel = Channel.objects.create(site=site, name=f"channel {number}", kind="slack")
        own = Channel.objects.create(owner=owner, name=f"own {number}", kind="email")
        MessageRule.objects.bulk_create([MessageRule(channel=channel), MessageRule(channel=own)])
        rota = Rota.objects.create(site=site, name=f"rota {number}")
        policy = EscalationPolicy.objects.create(site=site, name=f"policy {number}")
        policy.levels.create(number=1, after_min=5, target="first", rota=rota)
        Message.objects.create(channel=channel, ticket=ticket, ref=f"change:{number}", title="t")
        InboundMail.objects.create(message_id=f"<{number}@example.org>", ticket=ticket, status="comment")
        system = TicketSystem.objects.create(site=site, name=f"system {number}", kind="jira", acts_as=owner)
        link = ExternalLink.objects.create(system=system, ticket=ticket)
        ExternalItem.objects.create(link=link, ref="create", kind="create", next_at=now)
        Bookmark.objects.create(owner=owner, kind="view", name=f"view {number}", url=f"/tickets?page={number}")
        ShiftNote.objects.create(site=site, author=owner, text=f"note {number}")
        RunbookChoice.objects.create(site=site, fault_class=classes[number], slug="inspect")
        InsightShift.objects.create(site=site, name=f"shift {number}", begins=time(number), ends=time(23, 30))


NEEDS = {"/api/search/": {"q": "m"}}
Costs = dict[str, dict[int, list[str]]]


def measured(size: int) -> Costs:
    """Statements of every list and record among that many rows, in a transaction that is rolled back."""
    found: Costs = {}
    with pytest.MonkeyPatch.context() as patched, undone():
        patched.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
        fill(size)
        client = Client(raise_request_exception=False)
        client.force_login(ensure_user("root", role=Role.ADMIN)[0])
        for path in lists():
            query = {**of_those(path, {"page_size": LARGE}), **NEEDS.get(path, {})}
            found[path] = {size: cost_of(client, path, query)}
        for path, record in some_records(client, records()).items():
            found[path] = {size: cost_of(client, record, {})}
    return found


@pytest.fixture(scope="module")
def among_many(django_db_setup: None, django_db_blocker: Any) -> Costs:
    with django_db_blocker.unblock():
        return measured(LARGE)


@pytest.fixture(scope="module")
def among_few(django_db_setup: None, django_db_blocker: Any) -> Costs:
    with django_db_blocker.unblock():
        return measured(SMALL)


def cost_of(client: Client, path: str, query: dict[str, Any]) -> list[str]:
    client.get(path, query)  # what is read once and kept
    return statements(lambda: client.get(path, query))


def some_records(client: Client, paths: Iterable[str]) -> dict[str, str]:
    """Each path with the first row of its list in it, or with one that is not there, where the list is empty."""
    first = cache(partial(first_row, client))
    found = {}
    for path in paths:
        before, _, rest = path.partition("{")
        name, _, after = rest.partition("}")
        row = first(before)
        found[path] = f"{before}{row.get(name, row.get('id', row.get('site', 0)))}{after}"
    return found


def first_row(client: Client, path: str) -> dict[str, Any]:
    rows = client.get(path).json()
    rows = rows.get("results", []) if isinstance(rows, dict) else rows
    return dict(rows[0]) if rows else {}


@pytest.mark.parametrize("path", lists())
def test_a_long_list_costs_what_is_pinned(path: str, among_many: Costs) -> None:
    compare(f"list {path}", {"one page": among_many[path]})


@pytest.mark.parametrize("path", records())
def test_a_record_among_many_costs_what_is_pinned(path: str, among_many: Costs) -> None:
    compare(f"record {path}", {"read": among_many[path]})


@pytest.mark.parametrize("path", [*lists(), *records()])
def test_a_get_asks_the_database_to_write_nothing(path: str, among_many: Costs) -> None:
    """What is written all the same, by a trigger or another connection: `test_gets_never_write`, with `--all`."""
    (queries,) = among_many[path].values()
    assert not [
        sql for sql in queries if re.match(r"\s*(INSERT|UPDATE|DELETE|COPY\b.*\bFROM STDIN)", sql or "", re.I | re.S)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", lists())
def test_a_short_list_costs_what_a_long_one_does(path: str, among_few: Costs) -> None:
    compare(f"list {path}", {"one page": among_few[path]})


@pytest.mark.slow
@pytest.mark.parametrize("path", records())
def test_a_record_costs_the_same_among_few_and_among_many(path: str, among_few: Costs) -> None:
    compare(f"record {path}", {"read": among_few[path]})
