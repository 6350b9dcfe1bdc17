"""Links go out of use only when somebody decided so and paths remain, and none is forgotten there."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from core.models import Role, Site, User
from core.services import ensure_user
from fabric.facts import SeenPort
from fabric.models import FabricLink, FabricSource, PortAction, PortPolicy
from fabric.ports.services import control, outages
from fabric.ports.services import orders as port_orders
from fabric.ports.services.control import ControlRefused, ControlSilent
from fabric.tests.small import Orders, guid_of, small_fabric
from live.models import Event

pytestmark = pytest.mark.django_db
OWNER = "ticket:REP-2041"


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> Orders:
    given = Orders()
    monkeypatch.setitem(control._orders, "ufm", given)
    return given


@pytest.fixture
def site(db: None) -> Site:
    return Site.objects.create(slug="ams1", name="AMS1")


@pytest.fixture
def source(site: Site, orders: Orders) -> FabricSource:
    return small_fabric(site)


def propose(source: FabricSource, link: str = "leaf-1:33", owner: str = OWNER) -> PortAction:
    return outages.propose(
        source.pk, link, owner=owner, cause="cable is to be pulled", by="tickets", evidence={"finding": 7}
    )


def fresh(action: PortAction) -> PortAction:
    return PortAction.objects.get(pk=action.pk)


def due(action: PortAction) -> None:
    PortAction.objects.filter(pk=action.pk).update(next_try_at=timezone.now(), lease_until=None)


def ends(leaf: str, port: int, spine: str, far: int) -> set[SeenPort]:
    return {SeenPort(guid_of(leaf), port), SeenPort(guid_of(spine), far)}


def test_a_link_goes_out_at_both_ends_once_an_operator_approved(source: FabricSource, orders: Orders) -> None:
    action = propose(source)
    assert action.state == "proposed" and action.evidence == {"finding": 7}
    assert port_orders.carry_out() == 0 and not orders.given, "nobody approved it yet"
    outages.approve(action.pk, by="olga")
    assert port_orders.carry_out() == 1
    assert orders.out == ends("leaf-1", 33, "spine-1", 1)
    action = fresh(action)
    assert action.state == "held" and action.approved_by == "olga" and action.held_at is not None
    told = Event.objects.get(kind="port.disabled")
    assert told.data["owner"] == OWNER and told.site_id == source.site_id


def test_given_back_it_is_in_use_at_both_ends(source: FabricSource, orders: Orders) -> None:
    action = propose(source)
    outages.approve(action.pk, by="olga")
    port_orders.carry_out()
    outages.enable_all(OWNER, by="tina", reason="closed")
    outages.enable_all(OWNER, by="tina", reason="closed")
    assert port_orders.carry_out() == 1 and orders.out == set()
    action = fresh(action)
    assert action.state == "free" and action.ended_at is not None and action.free_wanted_by == "tina"
    assert Event.objects.filter(kind="port.enabled").count() == 1
    assert port_orders.carry_out() == 0


def test_proposing_twice_is_one_proposal_and_the_database_says_so_too(source: FabricSource) -> None:
    action = propose(source)
    assert propose(source).pk == action.pk
    copy = PortAction.objects.get(pk=action.pk)
    copy.pk = None
    with pytest.raises(IntegrityError, match="one_live_action"), transaction.atomic():
        copy.save(force_insert=True)


def test_in_a_dry_run_nothing_is_touched_until_it_is_turned_on(source: FabricSource, orders: Orders) -> None:
    PortPolicy.objects.update(automation="dry_run")
    action = propose(source)
    outages.approve(action.pk, by="olga")
    assert port_orders.carry_out() == 0 and not orders.given
    action = fresh(action)
    assert action.state == "dry_run" and "leaf-1 port 33" in action.message
    outages.set_policy(source.site_id, by="ada", automation="on")
    assert port_orders.carry_out() == 1 and fresh(action).state == "held"


def test_what_was_approved_waits_when_the_site_becomes_a_dry_run(source: FabricSource, orders: Orders) -> None:
    action = propose(source)
    outages.approve(action.pk, by="olga")
    PortPolicy.objects.update(automation="dry_run")
    assert port_orders.carry_out() == 0 and not orders.given and fresh(action).state == "dry_run"


def test_the_policy_approves_by_itself_only_within_its_budget(source: FabricSource, orders: Orders) -> None:
    PortPolicy.objects.update(approval="policy", budget=1)
    first = propose(source)
    second = propose(source, "leaf-2:33")
    assert (first.state, first.approved_by) == ("approved", "policy")
    assert second.state == "proposed" and "1 of 1 links" in second.message
    assert outages.approve(second.pk, by="olga").state == "approved", "a person is not bound by it"


def test_too_few_remaining_paths_refuse_a_person_and_the_policy(source: FabricSource, orders: Orders) -> None:
    PortPolicy.objects.update(approval="policy", floor_share=0.75)
    assert propose(source).state == "approved"
    second = propose(source, "leaf-1:34")
    assert second.state == "proposed" and "leaf-1 would keep 2 of 4" in second.message
    with pytest.raises(outages.PortRefused, match="3 needed"):
        outages.approve(second.pk, by="olga")
    assert propose(source, "leaf-2:35").state == "approved", "another leaf has all its paths"


def test_a_path_that_is_dark_already_is_missed_in_the_count(source: FabricSource, orders: Orders) -> None:
    PortPolicy.objects.update(floor_share=0.75)
    FabricLink.objects.filter(key="leaf-1:36").update(state="dark")
    action = propose(source)
    with pytest.raises(outages.PortRefused, match="would keep 2 of 4"):
        outages.approve(action.pk, by="olga")


@pytest.mark.parametrize(
    "change",
    [{"state": "held_back"}, {"state": "stale"}, {"last_good_at": None}],
)
def test_paths_that_are_not_known_now_refuse(source: FabricSource, change: dict) -> None:
    action = propose(source)
    FabricSource.objects.update(**change)
    with pytest.raises(outages.PortRefused, match="not known"):
        outages.approve(action.pk, by="olga")


def test_a_look_that_is_too_old_counts_as_none(source: FabricSource) -> None:
    action = propose(source)
    FabricSource.objects.update(last_good_at=timezone.now() - timedelta(days=1))
    with pytest.raises(outages.PortRefused, match="read last"):
        outages.approve(action.pk, by="olga")


def test_a_source_that_does_not_answer_leaves_unknown_and_is_asked_again(source: FabricSource, orders: Orders) -> None:
    action = propose(source)
    outages.approve(action.pk, by="olga")
    orders.trouble = ControlSilent("timed out")
    assert port_orders.carry_out() == 0
    action = fresh(action)
    assert action.state == "unknown" and "timed out" in action.message and action.next_try_at > timezone.now()
    assert not Event.objects.filter(kind="port.disabled").exists(), "nobody knows whether it is"
    orders.trouble = None
    due(action)
    assert port_orders.carry_out() == 1 and fresh(action).state == "held"


def test_a_worker_lost_in_the_middle_is_followed_by_one_that_gives_the_same_order(
    source: FabricSource, orders: Orders
) -> None:
    action = propose(source)
    outages.approve(action.pk, by="olga")
    claimed, _ = port_orders.claim()  # type: ignore[misc]
    assert claimed is not None and fresh(action).state == "unknown", "written down before the source is called"
    orders(source, [SeenPort(claimed.a_guid, 33), SeenPort(claimed.b_guid, 1)], "isolate", True)
    assert port_orders.claim() is None, "somebody has it"
    due(action)
    assert port_orders.carry_out() == 1 and fresh(action).state == "held"
    assert orders.out == ends("leaf-1", 33, "spine-1", 1)


def test_a_refused_order_is_tried_a_few_times_and_giving_back_for_ever(source: FabricSource, orders: Orders) -> None:
    action = propose(source)
    outages.approve(action.pk, by="olga")
    orders.trouble = ControlRefused("no such port")
    for _ in range(port_orders.MOST_TRIES + 3):
        port_orders.carry_out()
        due(action)
    action = fresh(action)
    assert (action.state, action.attempts, action.message) == ("failed", port_orders.MOST_TRIES, "no such port")
    outages.enable(action.pk, by="olga", reason="no use")
    for _ in range(port_orders.MOST_TRIES + 3):
        port_orders.carry_out()
        due(action)
    assert fresh(action).attempts == port_orders.MOST_TRIES + 3 and fresh(action).is_live
    orders.trouble = None
    assert port_orders.carry_out() == 1 and fresh(action).state == "free"


def test_a_link_that_two_want_out_stays_out_until_both_gave_it_back(source: FabricSource, orders: Orders) -> None:
    first, second = propose(source), propose(source, owner="ticket:REP-2042")
    for action in (first, second):
        outages.approve(action.pk, by="olga")
    port_orders.carry_out()
    outages.enable_all(OWNER, by="tina", reason="closed")
    port_orders.carry_out()
    assert fresh(first).state == "free" and "REP-2042" in fresh(first).message
    assert orders.out == ends("leaf-1", 33, "spine-1", 1)
    outages.enable_all("ticket:REP-2042", by="tina", reason="closed")
    port_orders.carry_out()
    assert orders.out == set()


def test_what_changed_while_the_order_was_on_its_way_is_done_next(source: FabricSource, orders: Orders) -> None:
    action = propose(source)
    outages.approve(action.pk, by="olga")
    claimed, _ = port_orders.claim()  # type: ignore[misc]
    assert claimed is not None
    outages.enable(action.pk, by="olga", reason="changed my mind")
    port_orders.record(claimed, PortAction.State.HELD, "")
    assert fresh(action).state == "held" and fresh(action).wanted == "free"
    assert port_orders.carry_out() == 1 and fresh(action).state == "free"


def test_a_source_that_cannot_says_so_and_a_link_that_is_not_there_too(site: Site, source: FabricSource) -> None:
    with pytest.raises(outages.PortRefused, match="no link nowhere"):
        propose(source, "nowhere")
    FabricLink.objects.filter(key="leaf-1:33").update(b_guid="")
    with pytest.raises(outages.PortRefused, match="both ends"):
        propose(source)
    FabricSource.objects.update(kind="file")
    with pytest.raises(outages.PortRefused, match="cannot disable ports"):
        propose(source, "leaf-2:33")


def test_links_left_out_of_use_are_named_once_a_day(source: FabricSource, orders: Orders) -> None:
    action = propose(source)
    outages.approve(action.pk, by="olga")
    port_orders.carry_out()
    assert port_orders.remind() == 0, "it is young"
    PortAction.objects.update(approved_at=timezone.now() - timedelta(days=4))
    assert port_orders.remind() == 1 and port_orders.remind() == 0
    told = Event.objects.get(kind="port.left_out")
    assert told.data["by_owner"] == {OWNER: ["leaf-1 port 33 – spine-1 port 1"]}
    PortAction.objects.update(reminded_at=timezone.now() - timedelta(days=1, minutes=1))
    assert port_orders.remind() == 1


# ---- over the API ----


def client_of(name: str, role: Role, site: Site | None = None) -> Client:
    user, _ = ensure_user(name, role=role, site=site)
    assert isinstance(user, User)
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(f"/api/fabric/port-actions/{path}", body, "application/json")


def test_an_operator_proposes_approves_and_enables_over_the_api(source: FabricSource, orders: Orders) -> None:
    olga = client_of("olga", Role.OPERATOR, source.site)
    made = post(olga, "", source=source.pk, link="leaf-1:33", cause="flaps")
    assert made.status_code == 201
    body = made.json()
    assert body["state"] == "proposed" and body["a"]["device"] == "leaf-1" and body["ticket"] is None
    assert post(olga, f"{body['id']}/approve/").json()["state"] == "approved"
    assert post(olga, f"{body['id']}/approve/").status_code == 409
    port_orders.carry_out()
    listed = olga.get("/api/fabric/port-actions/?live=true").json()
    assert [row["state"] for row in listed["results"]] == ["held"] and not listed["results"][0]["overdue"]
    assert post(olga, f"{body['id']}/enable/").status_code == 400, "with a reason"
    assert post(olga, f"{body['id']}/enable/", reason="repaired").json()["wanted"] == "free"
    port_orders.carry_out()
    assert olga.get("/api/fabric/port-actions/?live=true").json()["count"] == 0


def test_technicians_look_and_do_not_decide(source: FabricSource) -> None:
    action = propose(source)
    tina = client_of("tina", Role.TECHNICIAN, source.site)
    assert tina.get("/api/fabric/port-actions/").json()["count"] == 1
    assert post(tina, f"{action.pk}/approve/").status_code == 403
    assert post(tina, "", source=source.pk, link="leaf-1:34", cause="x").status_code == 403
    policy = f"/api/fabric/port-policies/{source.site_id}/"
    assert tina.get(policy).json()["automation"] == "on"
    assert tina.patch(policy, {"budget": 3}, "application/json").status_code == 403
    olga = client_of("olga", Role.OPERATOR, source.site)
    assert olga.patch(policy, {"budget": 3}, "application/json").status_code == 403
    ada = client_of("ada", Role.ADMIN, source.site)
    assert ada.patch(policy, {"budget": 3, "floor_share": 2}, "application/json").status_code == 400
    assert ada.patch(policy, {"budget": 3}, "application/json").json()["budget"] == 3


def test_one_site_does_not_see_the_ports_of_another(source: FabricSource, orders: Orders) -> None:
    action = propose(source)
    other = Site.objects.create(slug="fra1", name="FRA1")
    fritz = client_of("fritz", Role.OPERATOR, other)
    assert fritz.get("/api/fabric/port-actions/").json()["count"] == 0
    assert fritz.get(f"/api/fabric/port-actions/{action.pk}/").status_code == 404
    assert post(fritz, f"{action.pk}/approve/").status_code == 404
    assert post(fritz, "", source=source.pk, link="leaf-1:33", cause="x").status_code == 400
    policies = fritz.get("/api/fabric/port-policies/").json()["results"]
    assert [row["site"] for row in policies] == [other.pk] and policies[0]["automation"] == "dry_run"


def test_the_list_takes_a_fixed_number_of_queries(
    source: FabricSource, orders: Orders, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    olga = client_of("olga", Role.OPERATOR, source.site)
    for link in ("leaf-1:33", "leaf-2:33", "leaf-2:34"):
        propose(source, link)
    olga.get("/api/fabric/port-actions/")
    with django_assert_num_queries(5):  # session, user, roles, count, rows
        assert olga.get("/api/fabric/port-actions/").json()["count"] == 3
