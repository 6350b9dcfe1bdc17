"""From what happens to a ticket to messages, in the database: once, whoever is interrupted."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from core.models import Role, Site, User
from tickets import services as desk
from tickets.messages import delivery, rounds, services
from tickets.messages.models import Channel, EscalationPolicy, Message, MessageRule, NewsRow, Rota
from tickets.messages.tests.test_oncall import calendar, event
from tickets.models import Ticket
from tickets.tests.conftest import break_gpu, person

pytestmark = pytest.mark.django_db


def channel(**more: Any) -> Channel:
    fields = {"name": "chat", "kind": "slack", "url": "https://chat.example.org/x", **more}
    return services.save_channel(None, fields, by="olga")[0]


def rule(to: Channel, **more: Any) -> MessageRule:
    return MessageRule.objects.create(channel=to, **more)


def titles() -> list[str]:
    return list(Message.objects.order_by("id").values_list("title", flat=True))


def test_opening_taking_and_commenting_are_told_and_steps_are_not() -> None:
    rule(channel())
    break_gpu()
    ticket, tina = Ticket.objects.get(), person("tina")
    desk.take(ticket.number, by=tina)
    desk.tick(ticket.number, 1, by=tina)
    desk.comment(ticket.number, by=tina, text="The module is warm.")
    rounds.run()
    assert [title.split(":")[0].split(" ", 2)[2] for title in titles()] == ["opened", "taken", "commented"]
    assert Message.objects.get(event="commented").text == "Tina: The module is warm."
    assert rounds.run() == 0 and not NewsRow.objects.exists()


def test_without_a_rule_nothing_is_noted_at_all(ticket: Ticket, tina: User) -> None:
    desk.take(ticket.number, by=tina)
    assert not NewsRow.objects.exists()


def test_a_round_that_is_cut_off_leaves_the_news_and_the_next_makes_each_message_once(
    ticket: Ticket, tina: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule(channel())
    desk.take(ticket.number, by=tina)
    real = rounds.make

    def dies(messages: Any) -> int:
        real(messages)
        raise KeyboardInterrupt

    monkeypatch.setattr(rounds, "make", dies)
    with pytest.raises(KeyboardInterrupt), transaction.atomic():
        rounds.plan_news()
    assert not Message.objects.exists() and NewsRow.objects.count() == 1
    monkeypatch.setattr(rounds, "make", real)
    rounds.run()
    assert Message.objects.count() == 1


def test_the_same_news_twice_is_one_message(ticket: Ticket, tina: User) -> None:
    rule(channel())
    desk.take(ticket.number, by=tina)
    (row,) = NewsRow.objects.all()
    NewsRow.objects.create(source=row.source, source_id=row.source_id)
    rounds.run()
    assert Message.objects.count() == 1


def test_a_channel_of_a_site_hears_no_other(ticket: Ticket, tina: User) -> None:
    other = Site.objects.create(slug="osl1", name="Oslo")
    rule(channel(site=other))
    rule(channel(site=ticket.site, name="ours"))
    desk.take(ticket.number, by=tina)
    rounds.run()
    assert [row.channel.name for row in Message.objects.all()] == ["ours"]


def test_a_person_hears_the_sites_of_their_roles_only_and_nothing_after_the_account_is_closed(
    ticket: Ticket, tina: User
) -> None:
    other = Site.objects.create(slug="osl1", name="Oslo")
    for each in (ann := person("ann", site=ticket.site), person("bob", site=other)):
        services.save_personal(each, personal())
    desk.take(ticket.number, by=tina)
    rounds.run()
    assert [row.channel.owner.username for row in Message.objects.all()] == ["ann"]
    User.objects.filter(pk=ann.pk).update(is_active=False)
    desk.comment(ticket.number, by=tina, text="done")
    rounds.run()
    assert Message.objects.count() == 1


def personal(**more: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {"timezone": "UTC", "starts_at": None, "ends_at": None, "p1_breaks": True, "mail": True}
    return fields | {"ntfy": None, "topic": "", "rules": [{}]} | more


def test_what_comes_in_quiet_hours_arrives_as_one_summary(ticket: Ticket, tina: User) -> None:
    now = timezone.now()
    Ticket.objects.update(priority="P2")
    ann = person("ann")
    quiet = {"starts_at": (now - timedelta(hours=1)).time(), "ends_at": (now + timedelta(hours=1)).time()}
    services.save_personal(ann, personal(**quiet))
    desk.take(ticket.number, by=tina)
    desk.comment(ticket.number, by=tina, text="warm")
    rounds.run()
    assert set(Message.objects.values_list("status", flat=True)) == {"held"}
    rounds.run(now + timedelta(minutes=59))
    assert Message.objects.count() == 2, "not before the end"
    rounds.run(now + timedelta(minutes=61))
    bundle = Message.objects.get(status="waiting")
    assert bundle.title == "2 news of tickets" and bundle.text.count(ticket.key) == 2
    assert Message.objects.filter(status="bundled", bundle=bundle).count() == 2


def test_what_waits_for_a_person_is_not_sent_once_the_account_is_closed(ticket: Ticket, tina: User) -> None:
    ann, now = person("ann"), timezone.now()
    quiet = {"starts_at": (now - timedelta(hours=1)).time(), "ends_at": (now + timedelta(hours=1)).time()}
    Ticket.objects.update(priority="P2")
    services.save_personal(ann, personal(**quiet))
    desk.take(ticket.number, by=tina)
    rounds.run()
    User.objects.filter(pk=ann.pk).update(is_active=False)
    rounds.run(now + timedelta(minutes=61))
    assert list(Message.objects.values_list("status", flat=True)) == ["held"]
    Message.objects.update(status="waiting", next_at=now)
    assert delivery.WORK.follow is not None and list(delivery.WORK.follow()) == []
    assert delivery.send_due(Message.objects.get().channel_id) == 0


# ---- escalation ----


def policy(*levels: dict[str, Any], **more: Any) -> EscalationPolicy:
    fields = {"name": "night", "active": True, "levels": list(levels), **more}
    made = services.save_policy(None, fields)
    EscalationPolicy.objects.filter(pk=made.pk).update(active_since=timezone.now() - timedelta(days=1))
    return made


def escalated() -> list[str]:
    return [f"{row.channel.name}" for row in Message.objects.filter(event="escalated").order_by("id")]


def waits(ticket: Ticket, minutes: float) -> None:
    ticket.changes.filter(event="open").update(at=timezone.now() - timedelta(minutes=minutes))
    Ticket.objects.filter(pk=ticket.pk).update(opened_at=timezone.now() - timedelta(minutes=minutes))


def on_call_always(*people: str) -> Rota:
    lines = (event("DTSTART:20200101T000000Z", "DTEND:20990101T000000Z", f"SUMMARY:{name}") for name in people)
    return Rota.objects.create(name="hands", calendar=calendar(*lines), status="ok", read_at=timezone.now())


def test_a_ticket_nobody_takes_is_called_out_level_by_level_and_once(ticket: Ticket) -> None:
    ann = person("ann")
    services.save_personal(ann, personal(rules=[]))
    chat = channel(name="leads")
    policy(
        {"after_min": 10, "target": "first", "rota": on_call_always("ann"), "channel": None},
        {"after_min": 30, "target": "channel", "rota": None, "channel": chat},
    )
    waits(ticket, 9)
    rounds.run()
    assert escalated() == []
    waits(ticket, 11)
    rounds.run()
    rounds.run()
    assert escalated() == ["Mail"]
    waits(ticket, 31)
    rounds.run()
    assert escalated() == ["Mail", "leads"]


def test_taking_the_ticket_stops_it_and_giving_it_back_begins_again(ticket: Ticket, tina: User) -> None:
    policy({"after_min": 10, "target": "channel", "rota": None, "channel": channel(name="leads")})
    waits(ticket, 60)
    desk.take(ticket.number, by=tina)
    rounds.run()
    assert escalated() == []
    desk.release(ticket.number, by=tina, reason="shift ends")
    rounds.run()
    assert escalated() == [], "it waits since now"
    ticket.changes.filter(event="release").update(at=timezone.now() - timedelta(minutes=11))
    rounds.run()
    assert escalated() == ["leads"]


def test_nobody_on_call_or_an_unread_calendar_calls_the_next_level_at_once(ticket: Ticket) -> None:
    never = Rota.objects.create(name="new")
    policy(
        {"after_min": 5, "target": "first", "rota": never, "channel": None},
        {"after_min": 600, "target": "channel", "rota": None, "channel": channel(name="leads")},
    )
    waits(ticket, 6)
    rounds.run()
    assert escalated() == ["leads"]
    assert "Level 1 reached nobody" in Message.objects.get().text


def test_a_policy_that_is_turned_on_leaves_tickets_alone_that_wait_already(ticket: Ticket) -> None:
    services.save_policy(
        None,
        {"name": "n", "active": True,
         "levels": [{"after_min": 1, "target": "channel", "rota": None, "channel": channel()}]},
    )  # fmt: skip
    waits(ticket, 600)
    rounds.run()
    assert escalated() == []


def test_a_role_that_is_gone_is_called_no_more(ticket: Ticket) -> None:
    other = Site.objects.create(slug="osl1", name="Oslo")
    services.save_personal(person("ann", Role.TECHNICIAN, other), personal(rules=[]))
    rota = on_call_always("ann")
    Rota.objects.filter(pk=rota.pk).update(site=ticket.site)
    policy({"after_min": 5, "target": "first", "rota": rota, "channel": None})
    waits(ticket, 6)
    rounds.run()
    assert escalated() == []


def test_how_many_statements_a_round_needs_does_not_grow_with_the_tickets(
    django_assert_max_num_queries: Any, ticket: Ticket, tina: User
) -> None:
    rule(channel())
    policy({"after_min": 1, "target": "channel", "rota": None, "channel": channel(name="leads")})
    for n in range(30):
        desk.comment(ticket.number, by=tina, text=str(n))
    with django_assert_max_num_queries(30):
        rounds.run()
    assert Message.objects.count() == 30
