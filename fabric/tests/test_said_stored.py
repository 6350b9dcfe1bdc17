"""What a discovery stores of strangers, dark racks, labels and errors in a plan that somebody uploaded."""

from __future__ import annotations

import zlib
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from core.models import Site
from fabric.discovery.services import discoveries
from fabric.discovery.services.readers import Part
from fabric.facts import NodeKind, Seen, SeenLink, SeenNode, SeenPort, SeenState
from fabric.models import AsBuiltPlan, Capture, Discovery, FabricSource, Finding
from fabric.tests import made_texts
from fabric.tests.hall import fabric_of, load_site, source_of
from fabric.tests.made import FACTORY_NAME, Made
from fabric.tests.made_faults import inject

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    monkeypatch.setattr("core.work.kinds.Progress._beat", lambda self: None)  # it has a connection of its own


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return load_site(tmp_path, "west")


@pytest.fixture
def source(site: Site) -> FabricSource:
    return source_of(site)


@pytest.fixture
def fabric(site: Site) -> Made:
    return fabric_of(site)


def look(source: FabricSource, seen: Seen, *, days_ago: float = 1) -> Discovery:
    outputs = [
        Part("ibnetdiscover", "ibnetdiscover", made_texts.ibnetdiscover(seen), 0),
        Part("iblinkinfo -l", "iblinkinfo", made_texts.iblinkinfo(seen), 0),
    ]
    discovery = discoveries.upload(source, outputs, by="ann")
    Capture.objects.filter(pk=discovery.capture_id).update(at=timezone.now() - timedelta(days=days_ago))
    done = discoveries.run(discovery.pk)
    assert done is not None
    source.refresh_from_db()
    return done


def with_stranger(fabric: Made, description: str = FACTORY_NAME) -> Seen:
    """A switch nobody planned with two cables, at ports 60 and 61 of a leaf."""
    seen = fabric.seen()
    guid = "e" * 16
    seen.nodes[guid] = SeenNode(guid, NodeKind.SWITCH, description, 64, guid, 999)
    down = SeenState("Down", "Polling")
    seen.states |= {SeenPort(guid, number): down for number in range(1, 65)}
    for number in (60, 61):
        ends = sorted((SeenPort(fabric.guids["leaf-1"], number), SeenPort(guid, number)))
        seen.links.append(SeenLink(ends[0], ends[1], "4x", "NDR"))
        for end in ends:
            seen.states[end] = seen.states[SeenPort(fabric.guids["leaf-1"], 1)]
    return seen


def test_an_unplanned_switch_with_two_cables_does_not_end_a_discovery(source: FabricSource, fabric: Made) -> None:
    """1: it ended with a server error, at every look at that site."""
    done = look(source, with_stranger(fabric))
    assert (done.status, source.state) == ("done", "ok")
    row = Finding.objects.get()
    assert row.kind == "stranger" and len(row.detail["ports"]) == 2
    assert look(source, with_stranger(fabric), days_ago=0.5).counts["findings_new"] == 0


def test_a_dark_rack_opens_one_finding_and_is_not_held_back(source: FabricSource, fabric: Made) -> None:
    """5: at the first look and after good ones; the small site loses a quarter of its links with it."""
    look(source, fabric.seen(), days_ago=3)
    fabric.dead.update(name for name, device in fabric.plan.devices.items() if device.place.rack == "A02")
    done = look(source, fabric.seen(), days_ago=2)
    assert (done.status, done.held_back) == ("done", "")
    row = Finding.objects.get()
    assert row.kind == "area_off" and "ack A02" in row.title and len(row.device_ids) == 4


def test_half_a_fabric_that_went_dark_with_its_rack_is_still_held_back(source: FabricSource, fabric: Made) -> None:
    look(source, fabric.seen(), days_ago=3)
    dark = [cable.label for cable in fabric.plan.cables][::2]
    for label in dark:
        fabric.put(fabric.bodies[label][0], None)
    assert look(source, fabric.seen(), days_ago=2).status == "held_back"


def test_a_move_keeps_both_labels_that_may_be_printed_and_the_rack_of_the_far_end(
    source: FabricSource, fabric: Made
) -> None:
    inject(fabric, "swap")
    look(source, fabric.seen())
    row = Finding.objects.get()
    first = row.detail["moves"][0]
    assert sorted(first["printed"]) == sorted(row.cables)
    assert " or ".join(first["printed"]) in first["text"] and "its other end is in rack A0" in first["text"]


def test_an_error_in_an_uploaded_plan_is_told_with_its_line_and_needs_no_hands(
    site: Site, source: FabricSource, fabric: Made
) -> None:
    rows = made_texts.plan_csv(fabric.plan).splitlines()
    rows[7] = ",".join([*rows[7].split(",")[:-1], "571"])
    content = zlib.compress("\n".join(rows).encode())
    source.plan = AsBuiltPlan.objects.create(
        site=site, name="as built", filename="built.csv", content=content, cables=len(rows) - 1, devices=76
    )
    source.save(update_fields=["plan"])
    look(source, fabric.seen())
    row = Finding.objects.get()
    assert row.kind == "plan_error" and row.title.startswith("Line 8 of the plan") and row.moves == 0


def test_what_to_try_at_a_dark_cable_names_the_cage_that_the_inventory_has(source: FabricSource, fabric: Made) -> None:
    inject(fabric, "missing")
    look(source, fabric.seen())
    checks = " ".join(Finding.objects.get().detail["checks"])
    assert "cage" in checks and "rack A0" in checks and " at U" in checks
