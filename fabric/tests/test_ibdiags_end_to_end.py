"""infiniband-diags on a machine over real SSH: what is seen, what quiet ports tell, what may not be believed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from access.models import KnownHost
from fabric.discovery.services import ibdiags
from fabric.models import FabricLink, Finding, LinkQuality
from fabric.quality.services import rounds
from fabric.tests.hall import CABLES
from fabric.tests.live_hall import LiveHall, believed, discover, live_hall

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(120)]


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveHall]:
    with live_hall(tmp_path, monkeypatch) as running:
        yield running


def test_tools_on_a_machine_show_the_fabric_and_its_host_key_is_pinned(hall: LiveHall) -> None:
    source = hall.ibdiags()
    hall.swap("leaf-2", 3, 4)
    done = believed(source)
    assert (done.counts["links"], done.problems, source.state) == (CABLES, [], "ok")
    assert [row.kind for row in Finding.objects.all()] == ["swapped_pair"]
    assert KnownHost.objects.filter(machine=source.machine).count() == 1
    assert FabricLink.objects.filter(source=source, state="correct").count() == CABLES - 2


def test_another_host_key_is_a_state_of_its_own(hall: LiveHall) -> None:
    source = hall.ibdiags()
    believed(source)
    key = KnownHost.objects.get(machine=source.machine)
    other = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDbHSd0bIIHqGvLoS0vKqkhsdOhB8oZRzNwkJ5EZK3vN"
    KnownHost.objects.filter(pk=key.pk).update(key=other)
    done = discover(source)
    assert (done.status, source.state) == ("failed", "untrusted") and "host key changed" in source.message


@pytest.mark.slow
def test_quiet_ports_are_told_as_zero_and_a_small_flap_is_seen(hall: LiveHall) -> None:
    """Under the thresholds that vendors ship, one loss of a link in a day would never be printed."""
    source = hall.ibdiags()
    rounds.record_discovery(believed(source).pk)
    at, end = hall.clock.seconds(), hall.end("leaf-4", 5)
    hall.change(lambda wiring: wiring.set_counter(end, "LinkDownedCounter", 1, at))
    hall.clock.go_on(timedelta(minutes=6))
    told = rounds.record_discovery(believed(source).pk)
    assert told.links == CABLES and told.states == {"bad": 0, "unknown": 0, "watch": 1, "ok": CABLES - 1}
    row = LinkQuality.objects.get(state="watch")
    assert "went down once" in row.reason and end.guid in (row.a_guid, row.b_guid)
    quiet = LinkQuality.objects.filter(state="ok")[0]
    assert quiet.rates["5m"]["a"]["seconds"] >= 360 and quiet.ber_below is False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "states"),
    [("empty", {"empty"}), ("truncated", {"truncated", "partial"}),
     pytest.param("silent", {"empty", "partial", "failed"}, marks=pytest.mark.slow),
     ("tier", {"held_back"}), pytest.param("many", {"held_back"}, marks=pytest.mark.slow)],
)  # fmt: skip
def test_what_the_tools_cannot_tell_is_a_state_and_opens_nothing(
    hall: LiveHall, kind: str, states: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ibdiags, "GRACE_S", 1)
    source = hall.ibdiags(options={"timeout_s": 1})
    believed(source)
    links = list(FabricLink.objects.order_by("key").values_list("key", "state"))
    if kind in ("tier", "many"):
        hall.lose(kind)
    else:
        hall.let("ibdiags", kind)
    for _ in range(2):
        done = discover(source)
        hall.clock.go_on(timedelta(minutes=6))
    assert done.status in ("held_back", "failed") and source.state in states and source.message
    assert Finding.objects.count() == 0
    assert list(FabricLink.objects.order_by("key").values_list("key", "state")) == links


def test_a_machine_that_is_off_cannot_be_asked_and_says_so(hall: LiveHall) -> None:
    source = hall.ibdiags()
    believed(source)

    async def off() -> None:
        hall.hall.power(hall.hall.machines["gpu-1"], "ForceOff")

    hall.run(off())
    done = discover(source)
    assert (done.status, source.state) == ("failed", "failed") and "gpu-1" in source.message
