"""Tickets in Jira and ServiceNow, both ways, against stand-ins with state over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.models import Role, Site, User
from tickets import services as work
from tickets.messages import rounds
from tickets.models import Comment, Ticket
from tickets.systems import exchange, maps, services
from tickets.systems.models import ExternalItem, ExternalLink, ExternalRemark, TicketSystem
from tickets.systems.tests.stand_ins import Jira, ServiceNow, StandIn, serving
from tickets.tests.conftest import broken_before, no_worker, person  # noqa: F401  (a fixture)

pytestmark = pytest.mark.django_db
MAPS: dict[str, dict[str, Any]] = {
    "jira": {
        "project": "OPS", "issue_type": "Incident", "priority": {"P1": "Highest", "P2": "High", "P3": "Low"},
        "status": {"in_work": "In Progress", "closed": "Done"},
    },
    "servicenow": {
        "urgency": {"P1": "1", "P2": "2", "P3": "3"}, "status": {"in_work": "2", "closed": "6"},
        "extra": {"assignment_group": "Data centre"},
    },
}  # fmt: skip


@pytest.fixture(params=["jira", pytest.param("servicenow", marks=pytest.mark.slow)])
def theirs(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Any]:
    settings.WEBHOOK_LOCAL_ADDRESSES = True
    with serving(Jira() if request.param == "jira" else ServiceNow()) as running:
        yield running


@pytest.fixture
def ticket() -> Ticket:
    """Opened after the system: the fixtures of a test are made in the order of its arguments."""
    broken_before()
    return Ticket.objects.get()


@pytest.fixture
def system(theirs: StandIn, ticket: Ticket) -> TicketSystem:
    kind = kind_of(theirs)
    fields = {"site": ticket.site, "name": "system", "kind": kind, "url": theirs.url, "username": "rackside",
              "password": "t0ken", "field_map": MAPS[kind], "acts_as": person("bot"), "active": True}  # fmt: skip
    return exchange.check(services.save(None, fields))


def kind_of(theirs: StandIn) -> str:
    return "jira" if isinstance(theirs, Jira) else "servicenow"


def tell(system: TicketSystem) -> int:
    rounds.run()
    ExternalItem.objects.filter(status="waiting").update(next_at=timezone.now() - timedelta(seconds=1))
    return exchange.tell(system.pk)


def records(theirs: Any) -> dict[str, Any]:
    found: dict[str, Any] = theirs.issues if isinstance(theirs, Jira) else theirs.incidents
    return found


def state(theirs: Any) -> str:
    (row,) = records(theirs).values()
    return str(row["fields"]["status"]["name"] if isinstance(theirs, Jira) else row["state"])


def texts(theirs: Any) -> list[str]:
    if isinstance(theirs, Jira):
        return [each["body"] for row in theirs.issues.values() for each in row["comments"]]
    return [each["value"] for each in theirs.journal]


def items() -> list[tuple[str, str]]:
    return list(ExternalItem.objects.order_by("pk").values_list("kind", "status"))


def test_a_ticket_is_opened_there_moved_and_commented_in_order(
    theirs: Any, system: TicketSystem, ticket: Ticket
) -> None:
    tina = person("tina")
    work.take(ticket.number, by=tina)
    work.comment(ticket.number, by=tina, text="The module is warm.")
    assert tell(system) == 3 and items() == [("create", "done"), ("status", "done"), ("comment", "done")]
    (row,) = records(theirs).values()
    told = row["fields"]["summary"] if isinstance(theirs, Jira) else row["short_description"]
    assert told.startswith(f"{ticket.key} ")
    assert state(theirs) == ("In Progress" if isinstance(theirs, Jira) else "2")
    assert texts(theirs)[0].startswith("Tina: The module is warm.")
    assert ExternalLink.objects.get().key == ("OPS-1" if isinstance(theirs, Jira) else "INC0000001")
    assert tell(system) == 0


def test_an_answer_that_is_lost_makes_no_second_record_and_no_second_comment(
    theirs: Any, system: TicketSystem, ticket: Ticket
) -> None:
    work.comment(ticket.number, by=person("tina"), text="warm")
    theirs.lost = True
    assert tell(system) == 0 and len(records(theirs)) == 1
    assert tell(system) == 2 and len(records(theirs)) == 1
    work.comment(ticket.number, by=person("tina"), text="cold")
    theirs.lost = True
    tell(system)
    tell(system)
    assert [text.split("\n")[0] for text in texts(theirs)] == ["Tina: warm", "Tina: cold"]


def test_what_is_written_there_becomes_a_comment_once_and_goes_round_never(
    theirs: Any, system: TicketSystem, ticket: Ticket
) -> None:
    work.comment(ticket.number, by=person("tina"), text="warm")
    tell(system)
    theirs.write(next(iter(records(theirs))), "Please hurry.")
    assert exchange.poll(system.pk) == 1 and exchange.poll(system.pk) == 0
    came = Comment.objects.get(author__username="bot")
    assert came.text.endswith(": Please hurry.") and came.ticket == ticket
    assert tell(system) == 0 and exchange.poll(system.pk) == 0
    assert len(texts(theirs)) == 2 and Comment.objects.count() == 2


def set_there(theirs: Any, name: str) -> None:
    """Somebody sets a state there."""
    values = {"To Do": "1", "In Progress": "2", "On Hold": "3", "Done": "6"}
    theirs.set_state(next(iter(records(theirs))), name if isinstance(theirs, Jira) else values[name])


def map_back(system: TicketSystem, **back: str) -> TicketSystem:
    values = {"in_progress": ("In Progress", "2"), "done": ("Done", "6"), "to_do": ("To Do", "1")}
    named = {values[name][system.kind == "servicenow"]: action for name, action in back.items()}
    return services.save(system, {"field_map": MAPS[system.kind] | {"back": named}})


def lines(ticket: Ticket) -> list[str]:
    return list(ticket.changes.order_by("pk").values_list("text", flat=True))


def test_a_state_that_is_set_there_is_a_line_of_the_ticket_once_and_does_nothing_else(
    theirs: Any, system: TicketSystem, ticket: Ticket
) -> None:
    work.take(ticket.number, by=person("tina"))
    tell(system)
    exchange.poll(system.pk)
    before = len(lines(ticket))
    set_there(theirs, "Done")
    exchange.poll(system.pk)
    exchange.poll(system.pk)
    ticket.refresh_from_db()
    assert ticket.status == "in_work" and len(lines(ticket)) == before + 1
    assert " → " in lines(ticket)[-1] and ExternalLink.objects.get().key in lines(ticket)[-1]
    assert tell(system) == 0, "a line about them does not go back to them"


def test_a_state_there_takes_releases_and_asks_for_the_verification_where_the_map_says_so(
    theirs: Any, system: TicketSystem, ticket: Ticket
) -> None:
    system = map_back(system, in_progress="take", done="verify", to_do="release")
    work.comment(ticket.number, by=person("tina"), text="warm")
    tell(system)
    exchange.poll(system.pk)  # the first state is where it begins
    for there, here in (
        ("In Progress", "in_work"),
        ("To Do", "open"),
        ("In Progress", "in_work"),
        ("Done", "verifying"),
    ):
        set_there(theirs, there)
        exchange.poll(system.pk)
        tell(system)
        ticket.refresh_from_db()
        assert ticket.status == here, lines(ticket)
    assert ticket.closed_at is None, "only the verification closes it"


def test_what_a_state_there_may_not_do_is_said_and_changes_nothing(
    theirs: Any, system: TicketSystem, ticket: Ticket
) -> None:
    system = map_back(system, done="verify")
    work.take(ticket.number, by=person("tina"))
    tell(system)
    exchange.poll(system.pk)
    set_there(theirs, "Done")
    exchange.poll(system.pk)  # the account it acts as is a technician, and Tina has the ticket
    ticket.refresh_from_db()
    assert ticket.status == "in_work" and lines(ticket)[-1].endswith(f"Not done here: {ticket.key} is with Tina.")


def test_a_state_of_ours_that_waits_to_be_told_wins(theirs: Any, system: TicketSystem, ticket: Ticket) -> None:
    system = map_back(system, in_progress="take", to_do="release")
    work.take(ticket.number, by=person("tina"))
    tell(system)
    exchange.poll(system.pk)
    set_there(theirs, "To Do")
    link = ExternalLink.objects.get()
    ExternalItem.objects.create(link=link, ref="change:0", kind="status", value="in_work")
    assert not exchange.states.follow(system, link, "To Do")
    ticket.refresh_from_db()
    assert ticket.status == "in_work"


@pytest.mark.slow
def test_what_was_read_before_we_moved_the_record_is_no_news(theirs: Any, system: TicketSystem, ticket: Ticket) -> None:
    work.comment(ticket.number, by=person("tina"), text="warm")
    tell(system)
    exchange.poll(system.pk)
    old = ExternalLink.objects.get()  # a poll that has asked and not yet written
    work.take(ticket.number, by=person("tina"))
    tell(system)
    assert not exchange.states.follow(system, old, "To Do" if isinstance(theirs, Jira) else "1")
    assert not any(" → " in line for line in lines(ticket))


@pytest.mark.slow
def test_a_wrong_map_loses_nothing_and_is_told_again_when_it_is_right(
    theirs: Any, system: TicketSystem, ticket: Ticket
) -> None:
    if isinstance(theirs, Jira):
        services.save(system, {"field_map": MAPS["jira"] | {"priority": dict.fromkeys(("P1", "P2", "P3"), "Urgent")}})
    else:  # what a business rule of the site refuses: the first answer is that of the search
        refusal = {"error": {"message": "Operation Failed", "detail": "Assignment group is invalid"}}
        theirs.broken = [(200, {"result": []}), (400, refusal)]
    work.comment(ticket.number, by=person("tina"), text="warm")
    assert tell(system) == 0
    failed = ExternalItem.objects.get(status="failed")
    assert failed.kind == "create" and "invalid" in failed.error
    assert items() == [("create", "failed"), ("comment", "waiting")], "what comes after waits for it"
    services.save(TicketSystem.objects.get(pk=system.pk), {"field_map": MAPS[kind_of(theirs)]})
    assert tell(system) == 2 and len(records(theirs)) == 1 and len(texts(theirs)) == 1


@pytest.mark.parametrize("theirs", ["jira"], indirect=True)  # incidents have no transitions
def test_a_transition_that_is_refused_is_kept_and_holds_up_no_comment(
    theirs: Any, system: TicketSystem, ticket: Ticket
) -> None:
    tell(system)
    services.save(system, {"field_map": MAPS["jira"] | {"status": {"in_work": "Done"}}})
    work.take(ticket.number, by=person("tina"))
    work.comment(ticket.number, by=person("tina"), text="warm")
    tell(system)
    assert "there is: In Progress" in ExternalItem.objects.get(status="failed").error
    assert len(texts(theirs)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("answer", [(503, {"message": "maintenance"}), (429, {}), (200, "<html>")])
def test_a_system_that_is_away_is_told_later_and_nothing_is_failed(
    theirs: Any, system: TicketSystem, ticket: Ticket, answer: Any
) -> None:
    work.comment(ticket.number, by=person("tina"), text="warm")
    theirs.broken = [answer]
    assert tell(system) == 0 and {status for _, status in items()} == {"waiting"}
    assert ExternalItem.objects.get(kind="create").error
    assert tell(system) == 2


@pytest.mark.slow
def test_a_system_that_is_away_is_not_asked_for_each_of_its_records(
    theirs: Any, system: TicketSystem, ticket: Ticket
) -> None:
    work.comment(ticket.number, by=person("tina"), text="warm")
    tell(system)
    other = Ticket.objects.create(
        site=ticket.site, subject="place", subject_name="Feed A", title="Another", opened_at=timezone.now()
    )
    known = ExternalLink.objects.get()
    ExternalLink.objects.create(system=system, ticket=other, record=f"{known.record}0", key="other")
    theirs.calls.clear()
    theirs.broken = [(401, {}), (401, {})]
    assert exchange.poll(system.pk) == 0
    assert len(theirs.calls) == 1


def test_who_only_sees_a_site_is_not_told_with_whom_it_talks(theirs: Any, system: TicketSystem, ticket: Ticket) -> None:
    eve = person("eve", Role.VIEWER, ticket.site)
    person("eve", Role.ADMIN, Site.objects.create(slug="other", name="Other"))
    client = Client()
    client.force_login(eve)
    assert client.get("/api/ticket-systems/").json()["results"] == []
    assert client.get("/api/external-items/").json()["results"] == []


def test_only_tickets_that_are_asked_for_are_opened_there(theirs: Any, system: TicketSystem, ticket: Ticket) -> None:
    TicketSystem.objects.update(queues=["network"])
    work.comment(ticket.number, by=person("tina"), text="warm")
    assert tell(system) == 0 and records(theirs) == {}


def test_nothing_is_sent_before_it_is_turned_on(theirs: Any, system: TicketSystem, ticket: Ticket) -> None:
    TicketSystem.objects.update(active=False)
    theirs.calls.clear()
    work.comment(ticket.number, by=person("tina"), text="warm")
    assert tell(system) == 0 and exchange.poll(system.pk) == 0 and theirs.calls == []


def test_a_map_is_checked_against_the_system(theirs: Any, system: TicketSystem) -> None:
    assert system.problems == [] and system.account
    bad = {
        "jira": MAPS["jira"] | {"status": {"closed": "Gone"}, "priority": {"P1": "Urgent"}},
        "servicenow": MAPS["servicenow"] | {"status": {"closed": "99"}, "extra": {"u_hall": "1"}},
    }[kind_of(theirs)]
    found = exchange.check(services.save(system, {"field_map": bad}))
    assert len(found.problems) == 2, found.problems
    if isinstance(theirs, Jira):
        elsewhere = exchange.check(services.save(system, {"field_map": MAPS["jira"] | {"project": "NOPE"}}))
        assert "no project" in elsewhere.problems[0]


@pytest.mark.slow
def test_jira_data_center_searches_elsewhere(settings: Settings, ticket: Ticket) -> None:
    settings.WEBHOOK_LOCAL_ADDRESSES = True
    with serving(Jira(cloud=False)) as theirs:
        fields = {"site": ticket.site, "name": "dc", "kind": "jira", "url": theirs.url, "username": "rackside",
                  "password": "t0ken", "field_map": MAPS["jira"], "acts_as": person("bot"), "active": True}  # fmt: skip
        system = services.save(None, fields)
        work.comment(ticket.number, by=person("tina"), text="warm")
        assert tell(system) == 2


@pytest.mark.parametrize(
    ("kind", "given", "named"),
    [
        ("jira", {"issue_type": "Incident"}, "project"),
        ("jira", MAPS["jira"] | {"status": {"done": "Done"}}, "done"),
        ("jira", MAPS["jira"] | {"priority": {"P9": "x"}}, "P9"),
        ("jira", MAPS["jira"] | {"back": {"Done": "close"}}, "close"),
        ("servicenow", {"projekt": "x"}, "projekt"),
        ("servicenow", [], "map"),
    ],
)
def test_a_map_that_cannot_be_read_is_refused_by_name(kind: str, given: Any, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        maps.read(kind, given)


def test_the_password_is_in_no_answer_and_goes_to_no_other_address(theirs: Any, system: TicketSystem) -> None:
    client = Client()
    client.force_login(person("ada", Role.ADMIN))
    shown = client.get(f"/api/ticket-systems/{system.pk}/")
    assert shown.status_code == 200 and "t0ken" not in shown.content.decode()
    moved = client.patch(
        f"/api/ticket-systems/{system.pk}/", {"url": "https://elsewhere.example.org"}, content_type="application/json"
    )
    assert moved.status_code == 400 and "password" in moved.json()["error"]["fields"]
    viewer = Client()
    viewer.force_login(person("vera", Role.VIEWER))
    assert viewer.get("/api/ticket-systems/").status_code == 403
    assert viewer.get("/api/external-links/").status_code == 200


@pytest.mark.slow
def test_who_it_acts_as_must_be_a_technician_there(theirs: Any, system: TicketSystem) -> None:
    client = Client()
    client.force_login(person("ada", Role.ADMIN))
    nobody = User.objects.create(username="nobody")
    answer = client.patch(f"/api/ticket-systems/{system.pk}/", {"acts_as": nobody.pk}, content_type="application/json")
    assert answer.status_code == 400


def test_two_polls_at_once_make_one_comment(theirs: Any, system: TicketSystem, ticket: Ticket) -> None:
    work.comment(ticket.number, by=person("tina"), text="warm")
    tell(system)
    link = ExternalLink.objects.get()
    assert exchange._write(system, link, "777", "hello") == 1 and exchange._write(system, link, "777", "hello") == 0
    assert ExternalRemark.objects.filter(remark="777").count() == 1
