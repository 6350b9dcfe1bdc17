"""`manage.py demo_setup`: what the demo adds to a loaded fleet, so that the virtual hall can be swept.

Users of every role, an SSH key and the passwords of BMCs, UFM and meters (stored encrypted, and handed to the hall as
files), the addresses the hall answers on, what a kWh costs, and automation switched on, because no hardware can be hurt
there.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import asyncssh
from django.contrib.auth.hashers import make_password
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from django.utils import timezone

from access.services import EndpointRow, load_endpoints
from core.models import Credential, Role, Site, User
from core.outgoing.binding import Purpose
from core.services import bind_credential, ensure_user, set_credential
from fabric.models import FabricSource
from facility.findings.services import set_policy
from facility.meters import services as meters
from facility.models import Meter, Policy
from health.machines.services.pools import declare_no_scheduler
from health.models import Pool, SiteAutomation
from inventory.models import Device, Room
from simulator.fabric.hall import FabricDoors
from simulator.from_inventory import plan_from_inventory
from simulator.heat.from_inventory import heat_from_inventory
from simulator.meters.doors import MeterDoors, MeterRow, meter_rows

README_MACHINE = "hgx-a17-03"
HALL_HOSTS = ["127.0.0.0/8"]
TO_METERS: dict[str, Any] = {"purpose": Purpose.METER, "hosts": HALL_HOSTS}
DEMO_SHARE = 0.05
UFM_PERIOD_S = 60
FIRST_LOOK_EARLIER = timedelta(seconds=UFM_PERIOD_S / 2)
"""The fabric is first read half a period after the start: until then the first sweep needs both cores."""
METER_PERIOD_S = 60
"""Two cores are enough for a hall of 270 PDUs and for whoever reads them."""
TARIFF = {"tariff_per_kwh": Decimal("0.21"), "currency": "EUR", "co2_g_per_kwh": 380}
CONFIRM_AFTER_S = 60
"""A demo should not keep its visitors waiting for ten minutes."""
SMALL_POOL_ALLOWANCE = 4
"""A demo of twenty machines should still be able to lose a few."""
DEMO_LIMITS = {"drains_10min": SMALL_POOL_ALLOWANCE, "drains_1h": 20, "cause_machines": SMALL_POOL_ALLOWANCE}
"""Its machines all hang on the same few switches, and its visitors break several of them one after the other."""


class Command(BaseCommand):
    help = (
        "Users, credentials, endpoints and policy of the demo; prints JSON {login, password, example}. Safe to repeat."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--hall", type=Path, required=True, help="Folder of the virtual hall's state.")
        parser.add_argument("--site", help="The loaded fleet; without it only users and credentials are made.")
        parser.add_argument("--slice", type=int, default=1, help="The virtual hall's slice of loopback.")

    @transaction.atomic
    def handle(self, *args: Any, site: str | None, slice: int, hall: Path, **options: Any) -> None:
        hall.mkdir(parents=True, exist_ok=True, mode=0o700)
        give_keys(hall)
        said = make_users()
        if site:
            said["example"] = example(make_reachable(site, slice))
        self.stdout.write(json.dumps(said))


def make_reachable(site: str, slice: int) -> list[str]:
    """Endpoints, source and policy of a loaded fleet; the names of its machines with GPUs."""
    plan = plan_from_inventory(site, slice)
    rows = [
        row
        for machine in plan.machines
        for row in (
            EndpointRow(machine.name, "ssh", machine.address, machine.ssh_port),
            EndpointRow(machine.name, "redfish", machine.address, machine.redfish_port),
        )
    ]
    load_endpoints(rows, site_slug=site)
    make_source(site, slice)
    make_meters(site, meter_rows(heat_from_inventory(site, plan), MeterDoors.in_slice(slice)))
    for pool in Pool.objects.filter(site__slug=site):
        machines = pool.model.devices.filter(site=pool.site).count()
        pool.max_unavailable_share = min(1.0, max(DEMO_SHARE, (SMALL_POOL_ALLOWANCE + 0.01) / max(machines, 1)))
        pool.automation = Pool.Automation.ON
        if not pool.no_scheduler:
            declare_no_scheduler(pool, True, by="demo_setup")  # the hall has no scheduler
        pool.save()
    SiteAutomation.objects.get_or_create(site=Site.objects.get(slug=site), defaults=DEMO_LIMITS)
    return [machine.name for machine in plan.machines if machine.gpus]


def example(machines: list[str]) -> str:
    """The machine to try a fault on: that of the README, or in a hall without it the one in the middle; "" for none."""
    if README_MACHINE in machines or not machines:
        return README_MACHINE if machines else ""
    return sorted(machines)[len(machines) // 2]


def make_source(site: str, slice: int) -> None:
    """The virtual hall's UFM as the site's source; its certificate is pinned at the first look, also after a move."""
    doors = FabricDoors.in_slice(slice, 0)
    address = f"https://{doors.ufm_address}:{doors.ufm_port}"
    source, new = FabricSource.objects.get_or_create(
        site=Site.objects.get(slug=site),
        name="ufm",
        defaults={
            "kind": FabricSource.Kind.UFM,
            "address": address,
            "credential": Credential.objects.get(name="ufm"),
            "options": {"sign_in": "session", "naming": "description", "write_names": True},
            "period_s": UFM_PERIOD_S,
            "tried_at": timezone.now() - FIRST_LOOK_EARLIER,
            "confirm_after_s": CONFIRM_AFTER_S,
        },
    )
    if not new and source.address != address:
        source.address, source.identity = address, ""
        source.save()


def make_meters(site: str, rows: Sequence[MeterRow]) -> None:
    """Everything that measures in the virtual hall, and a tariff where nobody has set one."""
    at = Site.objects.get(slug=site)
    devices = dict(Device.objects.filter(site=at, kind="pdu").values_list("name", "pk"))
    rooms = dict(Room.objects.filter(site=at).values_list("name", "pk"))
    logins = {"snmp": Credential.objects.get(name="meters"), "bmc": Credential.objects.get(name="cooling")}
    meters.load(
        at.pk,
        [
            Meter(
                name=row.name, kind=row.kind, device_id=devices.get(row.device), room_id=rooms.get(row.room),
                address=f"{row.host}:{row.port}", credential=logins.get(row.access), options=row.options,
                period_s=METER_PERIOD_S,
            )
            for row in rows
        ],
    )  # fmt: skip
    if not Policy.objects.filter(pk=at.pk).exists():
        set_policy(at.pk, **TARIFF)


def give_keys(hall: Path) -> None:
    """Make the credentials once, and leave with the hall what it must know to let Rackside in."""
    if not Credential.objects.filter(name="ssh").exists():
        key = asyncssh.generate_private_key("ssh-ed25519", comment="rackside")
        set_credential(
            "ssh", kind=Credential.Kind.SSH_KEY, username="rackside", secret=key.export_private_key().decode()
        )
    for name, username in (("bmc", "root"), ("ufm", "admin")):
        if not Credential.objects.filter(name=name).exists():
            password = secrets.token_urlsafe(12)
            set_credential(
                name, kind=Credential.Kind.PASSWORD, username=username, secret=password, purpose=name, hosts=HALL_HOSTS
            )
    if not Credential.objects.filter(name="meters").exists():
        secret = secrets.token_urlsafe(12)
        set_credential("meters", kind=Credential.Kind.PASSWORD, username="", secret=secret, **TO_METERS)
    password = Credential.objects.get(name="bmc").reveal()
    cooling = Credential.objects.filter(name="cooling").first()
    if cooling is None or cooling.reveal() != password:  # the hall's cooling units take the login of its BMCs
        set_credential("cooling", kind=Credential.Kind.PASSWORD, username="root", secret=password, **TO_METERS)
    for name in ("ssh", "bmc", "ufm"):
        bind_credential(name, purpose=name, hosts=HALL_HOSTS)
    key = asyncssh.import_private_key(Credential.objects.get(name="ssh").reveal())
    write_private(hall / "authorized_keys", key.export_public_key().decode())
    write_private(hall / "bmc_password", password)
    write_private(hall / "ufm_password", Credential.objects.get(name="ufm").reveal())
    write_private(hall / "meter_secret", Credential.objects.get(name="meters").reveal())


def write_private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text)


def make_users() -> dict[str, str | None]:
    """One user per role, all with one password; empty password when they were there already."""
    password = secrets.token_urlsafe(9)
    hashed = "" if User.objects.filter(username__in=Role.values).exists() else make_password(password)
    new = [ensure_user(role.value, role=role, password=password, hashed=hashed, name=role.label)[1] for role in Role]
    return {"login": "admin", "password": password if all(new) else None}
