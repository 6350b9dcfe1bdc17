"""The hall of a loaded fleet: the inventory's identities, and something for what it does not know."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

import pytest
import yaml
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from core.models import Site
from inventory.models import Component, Device, DeviceModel, Installation, Machine
from inventory.specs.device_model import MODELS_DIR
from simulator.from_inventory import plan_from_inventory
from simulator.plan import PlanError

pytestmark = pytest.mark.django_db


@pytest.fixture
def site() -> Site:
    site = Site.objects.create(slug="north", name="North")
    spec = yaml.safe_load((MODELS_DIR / "dell-xe9680-h100.yaml").read_text())
    model = DeviceModel.objects.create(
        slug="dell-xe9680-h100", vendor="Dell", name="XE9680", kind="machine", half_u_height=12, gpu_count=8, spec=spec
    )
    for number, status in enumerate(("active", "planned", "retired")):
        device = Device.objects.create(
            site=site, model=model, kind="machine", name=f"gpu{number}", status=status, serial=f"TAG000{number}"
        )
        Machine.objects.create(
            device=device, system_uuid=uuid.UUID(int=number + 1), bmc_mac=f"d0:00:00:00:00:0{number}",
            boot_mac=f"b0:00:00:00:00:0{number}",
        )  # fmt: skip
    return site


def install(site: Site, slot: str, serial: str, **attributes: str) -> None:
    device = Device.objects.get(site=site, name="gpu0")
    part = Component.objects.create(
        site=site, kind="gpu", vendor="NVIDIA", part_number="692-2G520-0200-000", serial=serial, attributes=attributes
    )
    since = DateTimeTZRange(datetime(2026, 1, 1, tzinfo=UTC), None)
    Installation.objects.create(component=part, device=device, slot=slot, during=since)


def test_machines_have_the_identities_of_the_inventory(site: Site) -> None:
    install(site, "GPU 4", "1650000000077", uuid="GPU-77")
    install(site, "HCA mlx5_3", "MT77", guid="0x946dae0300000077")
    plan = plan_from_inventory("north", 9)
    machine = plan.by_name["gpu0"]
    assert (machine.serial, machine.bmc_mac, machine.boot_mac) == ("TAG0000", "d0:00:00:00:00:00", "b0:00:00:00:00:00")
    assert machine.system_uuid == str(uuid.UUID(int=1))
    assert (machine.gpus[4].serial, machine.gpus[4].uuid) == ("1650000000077", "GPU-77")
    hca = next(hca for hca in machine.hcas if hca.device == "mlx5_3")
    assert (hca.serial, hca.guid) == ("MT77", "0x946dae0300000077")
    assert machine.gpus[0].serial, "an unknown part is made up"
    assert plan_from_inventory("north", 9) == plan, "and the same every time"
    assert machine.address == "127.9.0.1"


def test_planned_machines_are_bare_and_retired_ones_absent(site: Site) -> None:
    plan = plan_from_inventory("north", 9)
    assert {machine.name: machine.bare for machine in plan.machines} == {"gpu0": False, "gpu1": True}


def test_a_site_without_machines_is_refused() -> None:
    with pytest.raises(PlanError, match="nowhere"):
        plan_from_inventory("nowhere", 9)


def test_the_whole_fleet_is_read_in_three_queries(site: Site, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(3):  # type: ignore[operator]
        plan_from_inventory("north", 9)
