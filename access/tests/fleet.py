"""The few machines that tests of access and provisioning need."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID, uuid5

from access.models import KnownHost, Source
from core.models import Credential, Site
from core.services import set_credential
from drivers.ssh import key_fingerprint
from inventory.models import Device, DeviceModel, Machine

SPACE = UUID("00000000-0000-0000-0000-0000000000aa")


def make_site(slug: str = "north") -> Site:
    return Site.objects.get_or_create(slug=slug, defaults={"name": slug.title()})[0]


def make_machine(name: str = "gpu-001", *, site: Site | None = None, **fields: object) -> Machine:
    """A machine with serial, system UUID and boot MAC derived from its name."""
    model, _ = DeviceModel.objects.get_or_create(
        slug="dell-xe9680-h100",
        defaults={"vendor": "Dell", "name": "XE9680", "kind": "machine", "half_u_height": 12, "gpu_count": 8},
    )
    device = Device.objects.create(
        site=site or make_site(), model=model, kind="machine", name=name, serial=f"SN{name.upper()}"
    )
    uuid = uuid5(SPACE, name)
    defaults = {
        "system_uuid": uuid,
        "primary_ip": f"10.1.{device.pk // 250 % 250}.{device.pk % 250 + 1}",
        "bmc_ip": f"10.2.{device.pk // 250 % 250}.{device.pk % 250 + 1}",
        "boot_mac": ":".join(f"{byte:02x}" for byte in (2, *uuid.bytes[:5])),
    }
    return Machine.objects.create(device=device, **{**defaults, **fields})


def make_credentials(
    private_key: str = "key", password: str = "secret", hosts: Iterable[str] = ("10.0.0.0/8", "127.0.0.0/8")
) -> tuple[Credential, Credential]:
    return (
        set_credential("ssh", kind="ssh_key", username="rackside", secret=private_key, hosts=hosts),
        set_credential("bmc", kind="password", username="root", secret=password, hosts=hosts),
    )


def first_contact(machine: Machine, key: str) -> KnownHost:
    """The host key that a machine presented when none was known."""
    return KnownHost.objects.create(
        machine=machine, key=key, fingerprint=key_fingerprint(key), source=Source.FIRST_CONTACT, recorded_by="sweep"
    )
