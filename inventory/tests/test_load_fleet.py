"""`manage.py load_fleet`: all or nothing, again and again, in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.models import Site
from inventory.fleet.load import Report, load
from inventory.fleet.problems import FleetError
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.kinds import Scope, write
from inventory.models import (
    AddressClaim,
    Cable,
    Component,
    Device,
    Installation,
    IpAddress,
    Machine,
    Placement,
    Port,
    Rack,
    StrandEnd,
)
from inventory.services import swap_component
from inventory.tests.conftest import TWO_SITES
from live.models import Event

pytestmark = pytest.mark.django_db

TABLES = (Site, Rack, Device, Placement, Machine, Port, Cable, StrandEnd, Component, Installation)


def everything() -> list[list[tuple[Any, ...]]]:
    return [sorted(table.objects.values_list(), key=repr) for table in TABLES]


def counts(report: Report) -> dict[str, tuple[int, int]]:
    tables = report.diff.tables.items()
    return {name: (len(t.created), len(t.changed)) for name, t in tables if t.created or t.changed}


def edited(path: Path, *changes: tuple[str, str]) -> Path:
    text = path.read_text()
    for before, after in changes:
        assert before in text, before
        text = text.replace(before, after)
    path.write_text(text)
    return path


def test_a_second_load_changes_nothing_and_tells_nobody(small: Path) -> None:
    before = everything()
    Event.objects.all().delete()
    (report,) = load(small)
    assert counts(report) == {}
    assert not report.changed
    assert everything() == before
    assert not Event.objects.exists()


def test_a_load_emits_one_event_for_its_site(small: Path) -> None:
    event = Event.objects.get(kind="inventory.reloaded")
    site = Site.objects.get()
    assert event.site_id == site.pk
    assert event.data["scope"] == {"site": site.pk, "slug": "north"}
    assert event.data["created_machines"] == 24


def test_a_dry_run_says_what_would_change_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text(fleet_file(2))
    out = StringIO()
    call_command("load_fleet", path, dry_run=True, stdout=out)
    assert "machines       2 new, 0 changed, 0 unchanged" in out.getvalue()
    assert "nothing was written" in out.getvalue()
    assert not Site.objects.exists()
    assert not Event.objects.exists()


def test_a_refused_file_changes_nothing_and_names_the_line(small: Path) -> None:
    before = everything()
    edited(small, ("u: [5, 11, 17, 23]", "u: [5, 11, 17, 44]"))
    with pytest.raises(CommandError) as refusal:
        call_command("load_fleet", small)
    assert f"{small}:" in str(refusal.value)
    assert "rack A01 has 48U" in str(refusal.value)
    assert "nothing was changed" in str(refusal.value)
    assert everything() == before


def test_a_file_whose_second_site_is_wrong_loads_neither(tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(TWO_SITES.read_text().replace("model: nvidia-dgx-a100", "model: unknown-box"))
    with pytest.raises(FleetError, match="unknown-box"):
        load(path)
    assert not Site.objects.exists()


@pytest.mark.slow
def test_what_changed_in_the_file_changes_in_place(small: Path) -> None:
    machine = Device.objects.get(name="hgx-a01-02")
    ids = set(Device.objects.values_list("pk", flat=True))
    edited(
        small,
        ("u: [5, 11, 17, 23]", "u: [5, 12, 18, 24]"),
        ("colour: aqua", "colour: green"),
        ("10.10.0.1+", "10.30.0.1+"),
    )
    (report,) = load(small)
    assert counts(report)["placements"][1] == 18
    assert set(Device.objects.values_list("pk", flat=True)) == ids
    machine.refresh_from_db()
    assert machine.placement.half_units.lower == 23
    assert machine.machine.primary_ip == "10.30.0.2"
    assert Cable.objects.get(label="C-00001").colour == "green"
    assert not load(small)[0].changed


def test_two_devices_may_trade_places_cables_and_macs(two_sites: Any, tmp_path: Path) -> None:
    text = TWO_SITES.read_text()
    first, second = (Machine.objects.get(device__name=f"hgx-a01-0{n}") for n in (1, 2))
    groups = "".join(
        f'  - {{name: hgx-a01-0{n}, model: dell-xe9680-h100, racks: A01, u: {u}, derive: true, boot_mac: "{mac}"}}\n'
        for n, u, mac in ((1, 11, second.boot_mac), (2, 5, first.boot_mac))
    )
    path = tmp_path / "traded.yaml"
    path.write_text(text.replace("racks: [A01, B01], u: [5, 11]", "racks: [B01], u: [5, 11]", 1)
                    .replace("devices:\n", "devices:\n" + groups, 1)
                    .replace("C19 {1..6}", "C19 {7..12}"))  # fmt: skip
    load(path)
    first.refresh_from_db()
    assert first.device.placement.half_units.lower == 21
    assert Machine.objects.get(device__name="hgx-a01-02").boot_mac != first.boot_mac
    ends = StrandEnd.objects.filter(port__device__name="pdu-a01-a", port__kind="power_outlet")
    assert {end.port.name for end in ends} == {f"C19 {n}" for n in range(7, 13)}


def listing(device: str, part: Component) -> str:
    """Lines that put a part into the first GPU slot of a device."""
    about = f'vendor: "{part.vendor}", part_number: "{part.part_number}", serial: "{part.serial}"'
    return f"components:\n  - {{device: {device}, slot: GPU 0, {about}}}\n"


# ---- what is not in the file ----


def test_what_is_not_in_the_file_stays_until_pruned(small: Path, tmp_path: Path) -> None:
    smaller = tmp_path / "smaller.yaml"
    smaller.write_text(fleet_file(20, 0))
    (report,) = load(smaller)
    assert report.diff.tables["devices"].missing
    assert Device.objects.get(name="hgx-a07-01").status == "planned"
    IpAddress.objects.create(device=Device.objects.get(name="hgx-a07-01"), address="10.99.0.1")
    (pruned,) = load(smaller, prune=True)
    gone = Device.objects.get(name="hgx-a07-01")
    assert not AddressClaim.objects.filter(device=gone).exists()
    assert Installation.objects.filter(device=gone).exclude(place="").count() == 66
    assert gone.status == "retired"
    assert not Placement.objects.filter(device=gone).exists()
    assert not Installation.objects.filter(device=gone, during__endswith=None).exists()
    assert Installation.objects.filter(device=gone).count() == 66
    assert not StrandEnd.objects.filter(port__device=gone).exists()
    assert not Rack.objects.filter(name="A07").exists()
    assert pruned.changed
    assert not load(smaller, prune=True)[0].changed


def test_a_pruned_machine_that_comes_back_is_the_same_one_with_its_parts(small: Path, tmp_path: Path) -> None:
    before = Device.objects.get(name="hgx-a07-01")
    parts = set(Component.objects.filter(installations__device=before).values_list("pk", flat=True))
    smaller = tmp_path / "smaller.yaml"
    smaller.write_text(fleet_file(20, 0))
    load(smaller, prune=True)
    load(small)
    again = Device.objects.get(name="hgx-a07-01")
    assert (again.pk, again.status) == (before.pk, "planned")
    now = Installation.objects.filter(device=again, during__endswith=None)
    known = {row.component_id for row in now if row.component.serial}
    assert known <= parts


def test_a_renamed_machine_takes_its_parts_and_addresses_along_when_pruned(two_sites: Any, tmp_path: Path) -> None:
    machine = Machine.objects.select_related("device").get(device__name="hgx-b02-01")
    part = Component.objects.get(installations__device=machine.device, installations__slot="GPU 0")
    path = tmp_path / "renamed.yaml"
    group = f'name: new-name, model: dell-xe9680-h100, racks: B02, u: 5, boot_mac: "{machine.boot_mac}"'
    listed = listing("new-name", part)
    text = TWO_SITES.read_text().split("---")[0]
    line = next(line for line in text.splitlines() if "name: hgx-b02-01" in line)
    path.write_text(text.replace(line, f"  - {{{group}}}") + listed)
    with pytest.raises(FleetError, match=r"is taken by hgx-b02-01(.|\n)*boot MAC .* is that of hgx-b02-01"):
        load(path)
    load(path, prune=True)
    assert Machine.objects.get(device__name="new-name").boot_mac == machine.boot_mac
    assert Installation.objects.get(component=part, during__endswith=None).device.name == "new-name"


def test_a_place_or_port_held_by_what_is_not_in_the_file_is_refused_with_its_line(small: Path) -> None:
    Device.objects.filter(name="hgx-a01-01").update(name="by-hand")
    Cable.objects.filter(label="C-00005").update(label="X-1")
    with pytest.raises(FleetError) as refusal:
        load(small)
    text = str(refusal.value)
    assert "U5–10 of rack A01 is taken by by-hand, which is not in the file" in text
    assert "hgx-a02-01 mlx5_0 has cable X-1" in text


# ---- intended is not observed ----


def test_a_part_swapped_by_a_technician_is_kept_and_told(small: Path) -> None:
    machine = Device.objects.get(name="hgx-a02-03")
    swap_component(machine.pk, "GPU 5", "1652823999999", by="mk", ticket="REP-2041")
    out = StringIO()
    call_command("load_fleet", small, stdout=out)
    assert "kept hgx-a02-03 GPU 5: 1652823999999 stays (installed by mk for REP-2041" in out.getvalue()
    now = Installation.objects.get(device=machine, slot="GPU 5", during__endswith=None)
    assert now.component.serial == "1652823999999"
    assert "no change" in out.getvalue()


@pytest.mark.slow
def test_ports_and_boot_mac_of_a_swapped_adapter_are_kept(small: Path) -> None:
    machine = Machine.objects.select_related("device").get(device__name="hgx-a02-03")
    attributes = {"guid": "0xb83fd20300ffff00", "mac": "b8:3f:d2:ff:ff:00"}
    swap_component(machine.pk, "HCA mlx5_1", "MT23NEW", by="mk", ticket="REP-1", attributes=attributes)
    machine.refresh_from_db()
    assert machine.boot_mac == "b8:3f:d2:ff:ff:00"
    assert not load(small)[0].changed
    machine.refresh_from_db()
    assert machine.boot_mac == "b8:3f:d2:ff:ff:00"
    assert Port.objects.get(device=machine.device, name="mlx5_1").guid == "0xb83fd20300ffff00"


def test_a_serial_moved_elsewhere_by_hand_is_not_pulled_back(small: Path) -> None:
    first, second = (Device.objects.get(name=f"hgx-a01-0{n}") for n in (1, 2))
    moved = Installation.objects.get(device=first, slot="GPU 0", during__endswith=None).component.serial
    swap_component(first.pk, "GPU 0", "1652800000001", by="mk")
    swap_component(second.pk, "GPU 0", moved, by="mk")
    (report,) = load(small)
    assert {(kept.device, kept.slot) for kept in report.diff.kept} == {("hgx-a01-01", "GPU 0"), ("hgx-a01-02", "GPU 0")}
    assert not report.changed


def test_a_part_the_file_itself_changes_is_swapped_with_history(two_sites: Any, tmp_path: Path) -> None:
    path = tmp_path / "north.yaml"
    listed = 'components:\n  - {device: hgx-a01-01, slot: GPU 0, vendor: NVIDIA, part_number: X, serial: "99"}\n'
    path.write_text(TWO_SITES.read_text().split("---")[0] + listed)
    (report,) = load(path)
    assert counts(report) == {"parts": (0, 1)}
    rows = Installation.objects.filter(device__name="hgx-a01-01", slot="GPU 0").order_by("during")
    assert [row.component.serial for row in rows][1:] == ["99"]
    assert rows[0].during.upper == rows[1].during.lower
    load(TWO_SITES)  # the first part is in stock, and taken from there
    again = Installation.objects.get(device__name="hgx-a01-01", slot="GPU 0", during__endswith=None)
    assert again.component_id == rows[0].component_id


def test_a_swap_while_a_load_is_under_way_stops_the_load(
    two_sites: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inventory.fleet import load as loading

    compare = loading.compare
    machine = Device.objects.get(name="hgx-a01-01")

    def swapped_meanwhile(*args: Any, **options: Any) -> Any:
        diff = compare(*args, **options)
        swap_component(machine.pk, "GPU 0", "1650000000001", by="mk")
        return diff

    monkeypatch.setattr(loading, "compare", swapped_meanwhile)
    path = tmp_path / "north.yaml"
    listed = 'components:\n  - {device: hgx-a01-01, slot: GPU 0, vendor: NVIDIA, part_number: X, serial: "99"}\n'
    path.write_text(TWO_SITES.read_text().split("---")[0] + listed)
    before = everything()
    with pytest.raises(FleetError, match="changed the inventory meanwhile"):
        load(path)
    assert everything() == before


def test_a_provisioned_machine_is_not_made_planned_again(small: Path) -> None:
    Device.objects.filter(name="hgx-a07-01").update(status="active")
    assert not load(small)[0].changed
    assert Device.objects.get(name="hgx-a07-01").status == "active"


def test_attributes_only_the_database_knows_stay(small: Path) -> None:
    part = Component.objects.filter(kind="gpu").first()
    assert part
    part.attributes["firmware"] = "96.00"
    part.save()
    assert not load(small)[0].changed


def test_a_serial_of_another_site_is_refused(two_sites: Any, tmp_path: Path) -> None:
    part = Component.objects.filter(site__slug="south", kind="gpu").first()
    assert part
    path = tmp_path / "north.yaml"
    listed = listing("hgx-a01-01", part)
    path.write_text(TWO_SITES.read_text().split("---")[0] + listed)
    with pytest.raises(FleetError, match="belongs to site south"):
        load(path)


def test_a_device_retired_by_hand_comes_back_only_by_the_file(small: Path) -> None:
    device = Device.objects.get(name="hgx-a01-01")
    assert write("devices", [{"id": device.pk}], "delete", scope=Scope.everything(), actor="mk").ok
    (report,) = load(small, dry_run=True)
    assert counts(report)["devices"] == (0, 1)
    load(small)
    device.refresh_from_db()
    assert device.status == "active"
    assert not load(small)[0].changed


# ---- bulk ----


def statements(run: Callable[[], Any]) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        run()
    return len(queries)


@pytest.mark.slow
def test_the_number_of_statements_does_not_grow_with_the_fleet(tmp_path: Path) -> None:
    taken = {}
    for number in (1, 3, 40):  # the first brings the device models
        path = tmp_path / f"{number}.yaml"
        path.write_text(fleet_file(number).replace("slug: north", f"slug: s{number}"))
        taken[number] = statements(lambda p=path: load(p)), statements(lambda p=path: load(p))
    assert taken[3] == taken[40]
    assert max(taken[40]) < 100
