"""UFM from its first sign-in to findings, counters, events, ports taken out and names written: the real protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from fabric.discovery.services import discoveries
from fabric.facts import SeenPort
from fabric.models import (
    FabricEvent,
    FabricLink,
    FabricSource,
    Finding,
    Incident,
    LinkQuality,
    NameProposal,
    PortAction,
    PortPolicy,
)
from fabric.ports.services import orders, outages
from fabric.quality.queries.heat import heat, warm_ports
from fabric.quality.services import events, samples
from fabric.quality.services import rounds as quality
from fabric.tests.hall import CABLES, LEAVES
from fabric.tests.live_hall import TOKEN, LiveHall, believed, discover, live_hall
from fabric.wiring.services import names
from live.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(120)]


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveHall]:
    with live_hall(tmp_path, monkeypatch) as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize(("way", "secret"), [("basic", ""), ("session", ""), ("token", TOKEN)])
def test_each_way_to_sign_in_shows_the_whole_fabric_page_by_page(hall: LiveHall, way: str, secret: str) -> None:
    more: dict[str, Any] = {"secret": secret} if secret else {}
    source = hall.ufm(options={"sign_in": way, "page_size": 50}, **more)
    hall.swap("leaf-1", 1, 2)
    done = believed(source)
    assert (done.counts["links"], done.problems, source.state) == (CABLES, [], "ok")
    assert [row.kind for row in Finding.objects.all()] == ["swapped_pair"]
    assert FabricLink.objects.filter(source=source, state="correct").count() == CABLES - 2


@pytest.mark.slow
def test_a_changed_certificate_is_a_state_of_its_own_until_an_operator_takes_it(hall: LiveHall) -> None:
    source = hall.ufm()
    believed(source)
    met = source.identity
    assert len(bytes.fromhex(met)) == 32
    source.identity = "ab" * 32
    source.save()
    done = discover(source)
    assert (done.status, source.state, source.identity) == ("failed", "untrusted", "ab" * 32)
    assert "ab" * 32 in source.message and met in source.message
    source.identity = ""
    source.save()
    believed(source)
    assert (source.state, source.identity) == ("ok", met)


def test_a_wrong_password_says_so_and_changes_nothing(hall: LiveHall) -> None:
    for way in ("basic", "session", "token"):
        source = hall.ufm(f"ufm-{way}", secret="wrong", options={"sign_in": way})
        done = discover(source)
        assert (done.status, source.state) == ("failed", "failed"), way
        assert any(word in source.message for word in ("refused", "no session"))
    assert FabricLink.objects.count() == Finding.objects.count() == 0


@pytest.mark.slow
def test_counters_error_rates_and_temperatures_of_every_port_are_stored(hall: LiveHall) -> None:
    source = hall.ufm()
    at = hall.clock.seconds()
    bad = hall.end("leaf-3", 4)
    hall.change(lambda wiring: wiring.trouble(bad, at, warmer_c=30.0, errors_per_hour={"SymbolErrorCounter": 6000}))
    told = quality.record_discovery(believed(source).pk)
    assert (told.ports >= 2 * CABLES, told.links) == (True, CABLES)
    hall.clock.go_on(timedelta(minutes=6))
    quality.record_discovery(believed(source).pk)
    rows = {SeenPort(row.a_guid, row.a_port): row for row in LinkQuality.objects.all()}
    rows |= {SeenPort(row.b_guid, row.b_port): row for row in LinkQuality.objects.all()}
    row = rows[SeenPort(bad.guid, bad.port)]
    counts = row.rates["5m"]["a"]["counts"]
    assert 600 <= counts["symbol_errors"] < 630 and row.max_c is not None and row.max_c > 74
    assert not any(other.rates["5m"]["a"]["counts"].get("symbol_errors") for other in rows.values() if other != row)
    assert all(other.max_c is not None and other.ber is not None for other in rows.values())
    rounds = samples.read_rounds(source.pk, [samples.newest_round(source.pk)])  # type: ignore[list-item]
    (stored,) = rounds.values()
    assert stored[SeenPort(bad.guid, bad.port)].reading.counters["symbol_errors"] >= 600
    warm = {each["device"]: each for each in heat(hall.site.pk)["rows"]}
    assert warm["leaf-3"]["port_count"] >= 8 and warm["leaf-3"]["max_c"] == hall.wiring.temperature_c(bad)
    newest = samples.newest_round(source.pk)
    assert newest is not None
    now = warm_ports(hall.site.pk, 0, newest + timedelta(minutes=15))
    assert now.ports and not now.not_known
    late = warm_ports(hall.site.pk, 0, newest + timedelta(seconds=max(900, 3 * source.period_s) + 1))
    assert not late.ports and late.not_known >= {each.device_id for each in now.ports}


def test_events_are_kept_once_and_a_switch_that_goes_down_is_one_incident(hall: LiveHall) -> None:
    source = hall.ufm()
    believed(source)
    at, guid = hall.clock.seconds(), hall.wiring.by_name["spine-2"].guid
    hall.change(lambda wiring: wiring.power(guid, False, at))
    assert events.fetch_all() == {source.pk: 1 + 2 * LEAVES * 2}
    assert events.fetch_all() == {source.pk: 0}
    grave = FabricEvent.objects.get(never_dropped=True)
    assert (grave.guid, grave.name) == (guid, "Switch is Down") and abs(grave.at.timestamp() - at) < 2
    incident = Incident.objects.get(subject=guid)
    assert incident.name == "spine-2" and incident.grave and incident.closed_at is None


# ---- ports ----


def decided(source: FabricSource, action: str) -> PortAction:
    """A link between a leaf and a spine that an operator approved to be taken out."""
    PortPolicy.objects.update_or_create(site=source.site, defaults={"automation": "on", "floor_share": 0.5})
    link = FabricLink.objects.filter(source=source, tier="leaf-spine").order_by("key")[0]
    asked = outages.propose(source.pk, link.key, owner="ticket:REP-1", cause="errors", by="tina", action=action)
    outages.approve(asked.pk, by="olga")
    return asked


@pytest.mark.parametrize(
    ("action", "kept"), [("disable", "undiscovered"), pytest.param("isolate", "isolated", marks=pytest.mark.slow)]
)
def test_a_link_is_taken_out_at_ufm_which_keeps_it_and_gives_it_back(hall: LiveHall, action: str, kept: str) -> None:
    source = hall.ufm()
    believed(source)
    asked = decided(source, action)
    assert orders.carry_out() == 1
    asked.refresh_from_db()
    wanted = {f"{asked.a_guid}_{asked.a_number}", f"{asked.b_guid}_{asked.b_number}"}
    assert asked.state == "held" and set(getattr(hall.wiring.changes, kept)) == wanted
    on_disk = json.loads((hall.fabric.folder / "fabric.json").read_text())
    assert set(on_disk[kept]) == wanted
    believed(source)
    hall.clock.go_on(timedelta(minutes=6))
    believed(source)
    assert Finding.objects.count() == 0, "what was taken out on purpose is no fault of the cabling"
    outages.enable_all("ticket:REP-1", by="tina", reason="repaired")
    assert orders.carry_out() == 1 and getattr(hall.wiring.changes, kept) == []


@pytest.mark.slow
def test_an_order_that_ufm_does_not_answer_is_given_again(hall: LiveHall) -> None:
    source = hall.ufm(options={"timeout_s": 1})
    believed(source)
    asked = decided(source, "isolate")
    hall.let("ufm", "silent")
    assert orders.carry_out() == 0
    asked.refresh_from_db()
    assert asked.state == "unknown" and "did not answer" in asked.message
    hall.let("ufm", "ok")
    hall.clock.go_on(timedelta(minutes=5))
    assert orders.carry_out() == 1
    asked.refresh_from_db()
    assert asked.state == "held" and len(hall.wiring.changes.isolated) == 2


# ---- names ----


@pytest.mark.slow
@pytest.mark.parametrize("naming_by", ["hostname", "description"])
def test_a_switch_with_a_factory_name_is_named_at_ufm_and_the_next_look_shows_it(
    hall: LiveHall, naming_by: str
) -> None:
    source = hall.ufm(options={"write_names": True, "naming": naming_by})
    guid = hall.wiring.by_name["leaf-5"].guid
    hall.change(lambda wiring: wiring.rename(guid, "MF0;switch-5b1c9e:MQM9700/U1"))
    believed(source)
    proposal = NameProposal.objects.get()
    assert (proposal.guid, proposal.proposed, proposal.certain) == (guid, "leaf-5", True)
    names.approve([proposal], by="olga")
    assert names.sources_to_write() == [source.pk] and names.write_back(source.pk) == 1
    assert hall.wiring.description(guid) == "leaf-5"
    believed(source)
    proposal.refresh_from_db()
    assert proposal.state == "confirmed"


# ---- what must not be believed ----


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "state"), [("empty", "empty"), ("truncated", "partial"), ("silent", "failed"), ("tier", "held_back"),
                        pytest.param("many", "held_back", marks=pytest.mark.slow)]
)  # fmt: skip
def test_what_ufm_cannot_tell_is_its_state_and_opens_nothing(hall: LiveHall, kind: str, state: str) -> None:
    source = hall.ufm(options={"timeout_s": 1.5})
    believed(source)
    links = list(FabricLink.objects.order_by("key").values_list("key", "state"))
    if kind in ("tier", "many"):
        hall.lose(kind)
    else:
        hall.let("ufm", kind)
    for _ in range(2):
        done = discover(source)
        hall.clock.go_on(timedelta(minutes=6))
    assert done.status in ("held_back", "failed") and source.state == state and source.message
    assert Finding.objects.count() == 0
    assert list(FabricLink.objects.order_by("key").values_list("key", "state")) == links
    told = Event.objects.filter(kind="source.changed", data__state=state)
    assert told.count() == 1, "said once, not at every look"


def test_a_source_that_was_not_read_for_long_is_stale_and_opens_nothing(hall: LiveHall) -> None:
    source = hall.ufm()
    believed(source)
    hall.clock.go_on(timedelta(hours=2))
    assert discoveries.mark_stale() == 1
    source.refresh_from_db()
    assert source.state == "stale" and "2.0 hours" in source.message and Finding.objects.count() == 0
    believed(source)
    assert source.state == "ok"


@pytest.mark.slow
def test_a_ufm_that_goes_on_telling_yesterday_hides_what_was_swapped_since(hall: LiveHall) -> None:
    """It cannot be told from a fabric in which nothing happens; counters that stand still do not confirm health."""
    source = hall.ufm()
    believed(source)
    hall.let("ufm", "stale")
    hall.swap("leaf-1", 1, 2)
    believed(source)
    assert Finding.objects.count() == 0
    hall.let("ufm", "ok")
    believed(source)
    assert [row.kind for row in Finding.objects.all()] == ["swapped_pair"]
