"""Cases from draft to closed: who may, what is written where, what storage gives and takes, what is overdue."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from core.models import Credential, Role, Site, User
from inventory.models import Component, Installation, Machine, Stock, StoragePlace
from inventory.parts import life
from live.models import Event as LiveEvent
from provisioning.returns.models import ReturnedMachine, VendorReturn
from provisioning.returns.services import send
from provisioning.steps import FailureClass
from tickets import services as desk
from tickets.models import PartSwap, Ticket, TicketChange
from tickets.tests.conftest import OLD_SERIAL, person
from tickets.vendors import queries, services
from tickets.vendors.models import CaseChange, CaseMessage, VendorCase, VendorContact
from tickets.vendors.states import Event
from tickets.vendors.tests.conftest import client_of, post

pytestmark = pytest.mark.django_db
NEW_SERIAL = "1650000000099"


def moved(case: VendorCase, *events: Any, by: User) -> VendorCase:
    """The case after these events, each a name or a name with what it brings along."""
    for each in events:
        name, facts = each if isinstance(each, tuple) else (each, {})
        case = services.move(case.pk, Event(name), by=by, **{"reason": "so it is", **facts})
    return case


# ---- a draft ----


def test_a_draft_is_filled_from_ticket_and_inventory(case: VendorCase, ticket: Ticket) -> None:
    assert (case.state, case.vendor, case.service_tag) == ("draft", "dell", "7XK2Q34")
    assert (case.part, case.old_serial, case.old_part_number) == ("GPU 5", OLD_SERIAL, "935-24287-0000")
    assert "7XK2Q34" in case.text
    assert ticket.key in case.text
    assert len(case.text) <= 1000


def test_a_part_that_was_swapped_out_already_is_the_failed_one(
    contact: VendorContact, ticket: Ticket, tina: User
) -> None:
    desk.take(ticket.number, by=tina)
    desk.record_swap(ticket.number, by=tina, new_serial=NEW_SERIAL)
    assert services.open_case(ticket.number, by=tina).old_serial == OLD_SERIAL


def test_a_ticket_has_one_open_case(case: VendorCase, ticket: Ticket, olga: User) -> None:
    with pytest.raises(services.CaseRefused, match="open case"):
        services.open_case(ticket.number, by=olga)
    moved(case, "close", by=olga)
    assert services.open_case(ticket.number, by=olga).pk != case.pk


def test_the_database_itself_refuses_a_second_open_case(case: VendorCase) -> None:
    with pytest.raises(IntegrityError, match="one_open_vendor_case_per_ticket"), transaction.atomic():
        VendorCase.objects.create(site=case.site, ticket=case.ticket, vendor="hpe", opened_by="x")


def test_what_the_vendor_wants_and_nobody_gave_keeps_a_case_from_being_sent(case: VendorCase, olga: User) -> None:
    services.edit(case.pk, by=olga, old_serial="")
    with pytest.raises(services.CaseRefused, match="serial of the failed part"):
        services.move(case.pk, Event.SEND, by=olga)
    assert VendorCase.objects.get().state == "draft"


def test_a_text_longer_than_the_form_takes_is_not_sent(case: VendorCase, olga: User) -> None:
    services.edit(case.pk, by=olga, text="x" * 1001)
    with pytest.raises(services.CaseRefused, match="1000"):
        services.move(case.pk, Event.SEND, by=olga)


# ---- its way ----


def test_each_step_says_who_and_why_in_both_timelines(case: VendorCase, olga: User) -> None:
    case = moved(case, "send", ("accept", {"number": "SR123"}), ("deny", {"reason": "out of warranty"}), by=olga)
    rows = list(CaseChange.objects.filter(case=case).values_list("event", "actor", "text"))
    assert rows[-1] == ("deny", "Olga", "denied: out of warranty")
    assert {actor for _, actor, _ in rows} == {"Olga"}
    told = TicketChange.objects.filter(ticket=case.ticket, data__case=case.pk).values_list("text", flat=True)
    assert list(told)[-1] == "Case with Dell: denied: out of warranty"
    assert LiveEvent.objects.filter(kind="vendor_case.changed").count() == 4


@pytest.mark.parametrize("event", ["deny", "close"])
def test_an_event_that_says_nothing_by_itself_needs_a_reason(case: VendorCase, olga: User, event: str) -> None:
    case = moved(case, "send", by=olga)
    with pytest.raises(services.CaseRefused, match="why"):
        services.move(case.pk, Event(event), by=olga, reason="  ")


def test_a_case_that_was_denied_is_edited_and_asked_for_again(case: VendorCase, olga: User) -> None:
    case = moved(case, "send", "deny", by=olga)
    services.edit(case.pk, by=olga, text="It fails in another slot as well.")
    case = moved(case, "ask_again", by=olga)
    assert (case.state, case.denials, case.text) == ("sent", 1, "It fails in another slot as well.")
    with pytest.raises(services.CaseRefused, match="not edited"):
        services.edit(case.pk, by=olga, text="x")


def test_of_two_who_change_a_case_the_second_is_told(case: VendorCase, olga: User) -> None:
    seen = case.version
    services.edit(case.pk, by=olga, symptom="worse", version=seen)
    with pytest.raises(services.CaseRace):
        services.edit(case.pk, by=olga, symptom="better", version=seen)


# ---- storage ----


def test_a_part_that_arrives_lies_on_a_shelf_and_the_swap_takes_it_from_there(
    case: VendorCase, ticket: Ticket, shelf: StoragePlace, olga: User, tina: User
) -> None:
    arrived = ("arrive", {"new_serial": NEW_SERIAL, "storage": shelf.pk})
    case = moved(case, "send", ("ship", {"carrier": "DHL", "tracking": "JD1"}), arrived, by=olga)
    part = case.new_component
    assert part is not None
    assert (part.storage, part.kind, part.condition) == (shelf, "gpu", "good")
    desk.take(ticket.number, by=tina)
    desk.record_swap(ticket.number, by=tina, new_serial=NEW_SERIAL)
    part.refresh_from_db()
    assert part.storage is None
    assert Installation.objects.get(device_id=ticket.machine_id, slot="GPU 5", during__endswith=None).component == part
    assert PartSwap.objects.get().new_component == part


def test_a_part_goes_back_only_when_it_is_out_and_leaves_storage_then(
    case: VendorCase, ticket: Ticket, shelf: StoragePlace, olga: User, tina: User
) -> None:
    case = moved(case, "send", "ship", ("arrive", {"new_serial": NEW_SERIAL, "storage": shelf.pk}), by=olga)
    answer = post(tina, f"vendor-cases/{case.pk}/move/", 400, event="return")
    assert "installed" in str(answer)
    desk.take(ticket.number, by=tina)
    desk.record_swap(ticket.number, by=tina, new_serial=NEW_SERIAL, old_storage=shelf.pk)
    old = Component.objects.get(serial=OLD_SERIAL)
    assert (old.storage, old.condition) == (shelf, "suspect")
    case = moved(case, ("return", {"return_tracking": "R1"}), by=tina)
    old.refresh_from_db()
    assert (old.storage, old.condition, case.state) == (None, "rma", "returned")


def test_the_failed_part_itself_does_not_arrive(case: VendorCase, shelf: StoragePlace, olga: User) -> None:
    case = moved(case, "send", "ship", by=olga)
    body = {"event": "arrive", "new_serial": OLD_SERIAL, "storage": shelf.pk}
    assert "failed part itself" in str(post(olga, f"vendor-cases/{case.pk}/move/", 400, **body))


# ---- what is overdue ----


def test_a_part_not_returned_in_time_is_listed_until_it_goes_back(case: VendorCase, olga: User) -> None:
    case = moved(case, "send", "ship", by=olga)
    assert case.return_due == timezone.localdate() + timedelta(days=10)
    listed = client_of(olga).get("/api/vendor-cases/?overdue=true").json()
    assert listed["count"] == 0
    VendorCase.objects.update(return_due=timezone.localdate() - timedelta(days=3))
    listed = client_of(olga).get("/api/vendor-cases/?overdue=true").json()
    assert [(row["id"], row["days_overdue"]) for row in listed["results"]] == [(case.pk, 3)]
    installed = Installation.objects.get(component=case.component, during__endswith=None)
    life.remove_to_storage(installed.component_id, None, by="olga")
    moved(case, "arrive", "return", by=olga)
    assert client_of(olga).get("/api/vendor-cases/?overdue=true").json()["count"] == 0


# ---- what to order ----


def test_what_failed_against_what_lies_there_says_what_to_order(
    site: Site, ticket: Ticket, shelf: StoragePlace, tina: User, olga: User
) -> None:
    old = Component.objects.get(serial=OLD_SERIAL)
    Stock.objects.create(storage=shelf, kind="gpu", vendor="NVIDIA", part_number=old.part_number, quantity=1, minimum=1)
    assert row_of(olga)["order"] == 0
    for number in range(20):
        PartSwap.objects.create(
            ticket=ticket, by=tina, slot="GPU 5", old_serial=f"old{number}", new_serial=f"new{number}",
            old_component=old, new_component=old,
        )  # fmt: skip
    advice = row_of(olga)
    assert (advice["have"], advice["failures"]) == (1, 20)
    assert advice["order"] == advice["wanted"] - 1 > 0
    assert "20 failed in 180 days" in advice["why"]


def row_of(user: User) -> dict[str, Any]:
    rows = client_of(user).get("/api/spares/advice/").json()["results"]
    return next(row for row in rows if row["part_number"] == "935-24287-0000")


def test_a_part_that_a_vendor_shipped_counts_as_coming(case: VendorCase, shelf: StoragePlace, olga: User) -> None:
    Stock.objects.create(storage=shelf, kind="gpu", vendor="NVIDIA", part_number="935-24287-0000", minimum=2)
    assert row_of(olga)["order"] == 2
    moved(case, "send", "ship", by=olga)
    assert (row_of(olga)["coming"], row_of(olga)["order"]) == (1, 1)


def test_advice_of_another_site_is_not_shown(site: Site, shelf: StoragePlace) -> None:
    Stock.objects.create(storage=shelf, kind="gpu", vendor="NVIDIA", part_number="935-24287-0000", minimum=2)
    other = Site.objects.create(slug="far", name="Far")
    stranger = person("sam", Role.OPERATOR, other)
    assert client_of(stranger).get("/api/spares/advice/").json()["results"] == []
    assert client_of(stranger).get(f"/api/spares/advice/?site={site.pk}").status_code == 404


# ---- over the API ----


def test_a_technician_drafts_and_says_what_came_but_sends_nothing(
    contact: VendorContact, ticket: Ticket, tina: User, olga: User
) -> None:
    ticket.device.service_tag = "7XK2Q34"
    ticket.device.save()
    case = post(tina, "vendor-cases/", 201, ticket=ticket.key, vendor="dell")
    assert case["may"] == []
    assert case["may_edit"]
    post(tina, f"vendor-cases/{case['id']}/move/", 403, event="send")
    post(olga, f"vendor-cases/{case['id']}/move/", event="send")
    post(olga, f"vendor-cases/{case['id']}/move/", event="ship", carrier="DHL", tracking="JD1")
    assert post(tina, f"vendor-cases/{case['id']}/move/", event="arrive", new_serial=NEW_SERIAL)["state"] == "arrived"


def test_a_technician_does_not_change_what_an_operator_told_the_vendor(case: VendorCase, tina: User) -> None:
    VendorCase.objects.filter(pk=case.pk).update(state="shipped")
    for beyond in ({"return_owed": False}, {"number": "9"}, {"cost": "0", "currency": "EUR"}):
        post(tina, f"vendor-cases/{case.pk}/move/", 403, event="arrive", new_serial=NEW_SERIAL, **beyond)
    post(tina, f"vendor-cases/{case.pk}/move/", event="arrive", new_serial=NEW_SERIAL)


def test_the_number_of_another_case_is_refused_in_words(
    case: VendorCase, ticket: Ticket, contact: VendorContact, olga: User
) -> None:
    moved(case, "send", ("accept", {"number": "SR1"}), "close", by=olga)
    second = services.open_case(ticket.number, by=olga)
    services.move(second.pk, Event("send"), by=olga)
    with pytest.raises(services.CaseRefused, match="Another case has the number SR1"):
        services.move(second.pk, Event("accept"), by=olga, number="SR1")


def test_a_conflict_answers_with_the_case_as_it_is_now(case: VendorCase, olga: User) -> None:
    services.edit(case.pk, by=olga, symptom="worse")
    answer = post(olga, f"vendor-cases/{case.pk}/edit/", 409, symptom="better", version=1)
    assert answer["error"]["code"] == "conflict"
    assert answer["error"]["current"]["symptom"] == "worse"


def test_a_case_of_another_site_is_not_there(case: VendorCase) -> None:
    stranger = person("sam", Role.OPERATOR, Site.objects.create(slug="far", name="Far"))
    assert client_of(stranger).get(f"/api/vendor-cases/{case.pk}/").status_code == 404
    post(stranger, f"vendor-cases/{case.pk}/move/", 404, event="send")
    VendorCase.objects.update(number="SR1")
    post(stranger, "vendor-cases/answers/", 400, vendor="dell", number="SR1")


def test_an_answer_finds_its_case_by_the_vendors_number_and_may_come_twice(case: VendorCase, olga: User) -> None:
    case = moved(case, ("send", {"number": "SR123"}), by=olga)
    answer: dict[str, Any] = {"vendor": "dell", "number": "SR123", "event": "ship", "carrier": "UPS", "tracking": "1Z"}
    for _ in range(2):
        told = post(olga, "vendor-cases/answers/", **answer)
        assert (told["state"], told["tracking"]) == ("shipped", "1Z")
    assert CaseChange.objects.filter(case=case, event="ship").count() == 1
    post(olga, "vendor-cases/answers/", 400, vendor="dell", number="SR999", event="ship")


def test_without_an_enabled_channel_nothing_is_sent(case: VendorCase, olga: User) -> None:
    moved(case, "send", by=olga)
    assert not CaseMessage.objects.exists()


def test_secrets_of_a_contact_are_kept_encrypted_and_never_told(site: Site) -> None:
    admin = person("adam", Role.ADMIN)
    body = {
        "site": site.pk, "vendor": "hpe", "channel": "http", "url": "https://service.example/cases", "enabled": True,
        "secret": "whsec_c2VjcmV0LW9mLXRoZS1jYWxs",
    }  # fmt: skip
    told = post(admin, "vendor-contacts/", 201, **body)
    assert told["has_secret"]
    assert "whsec" not in str(told)
    row = VendorContact.objects.get(vendor="hpe")
    assert row.credential is not None
    assert (row.credential.purpose, row.credential.hosts) == ("vendor", ["service.example"])
    path = f"/api/vendor-contacts/{row.pk}/"
    moved_away = client_of(admin).patch(path, {"url": "https://evil.example/"}, content_type="application/json")
    assert moved_away.status_code == 400
    assert client_of(person("otto", Role.OPERATOR)).delete(path).status_code == 403


def test_a_channel_is_not_enabled_without_what_it_needs(site: Site) -> None:
    admin = person("adam", Role.ADMIN)
    base = {"site": site.pk, "vendor": "hpe", "enabled": True}
    assert "mail_to" in str(post(admin, "vendor-contacts/", 400, **base, channel="mail"))
    assert "secret" in str(post(admin, "vendor-contacts/", 400, **base, channel="http", url="https://a.example/"))
    assert "Dell" in str(post(admin, "vendor-contacts/", 400, **base, channel="techdirect"))


def test_a_renewed_secret_keeps_its_name_and_one_for_a_host_of_before_is_forgotten(site: Site) -> None:
    admin = person("adam", Role.ADMIN)
    body = {
        "site": site.pk, "vendor": "dell", "channel": "techdirect", "enabled": True, "username": "client-7",
        "url": "https://api.dell.example/", "token_url": "https://api.dell.example/token", "secret": "one",
        "login_name": "tech", "login_secret": "two",
    }  # fmt: skip
    path = f"/api/vendor-contacts/{post(admin, 'vendor-contacts/', 201, **body)['id']}/"
    client = client_of(admin)
    assert client.patch(path, {"secret": "three"}, content_type="application/json").status_code == 200
    row = VendorContact.objects.select_related("credential", "login").get()
    assert row.credential and (row.credential.username, row.credential.reveal()) == ("client-7", "three")
    moved_on = {"channel": "http", "url": "https://ours.example/", "token_url": "", "secret": "whsec_Zm91cg=="}
    assert client.patch(path, moved_on, content_type="application/json").status_code == 200
    row.refresh_from_db()
    assert row.credential and row.credential.hosts == ["ours.example"]
    assert row.login is None and not Credential.objects.filter(username="tech").exists()


def test_what_an_enabled_channel_needs_is_not_taken_away(site: Site) -> None:
    admin = person("adam", Role.ADMIN)
    body = {"site": site.pk, "vendor": "hpe", "channel": "mail", "mail_to": "rma@example.org", "enabled": True}
    path = f"/api/vendor-contacts/{post(admin, 'vendor-contacts/', 201, **body)['id']}/"
    refused = client_of(admin).patch(path, {"mail_to": ""}, content_type="application/json")
    assert refused.status_code == 400 and "mail_to" in str(refused.json())


# ---- many machines back at once ----


def test_a_request_with_many_machines_and_the_case_of_one_know_each_other(
    case: VendorCase, broken: Machine, olga: User
) -> None:
    made = VendorReturn.objects.create(site=case.site, vendor="Dell", created_by="olga")
    ReturnedMachine.objects.create(vendor_return=made, machine=broken, failure_class=next(iter(FailureClass)).value)
    send(made.pk, reference="RMA-7")
    assert queries.item(VendorCase.objects.get(pk=case.pk))["vendor_return"] == made.pk
    listed = client_of(olga).get(f"/api/vendor-cases/?vendor_return={made.pk}").json()
    assert [row["id"] for row in listed["results"]] == [case.pk]
