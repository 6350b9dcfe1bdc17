"""Which dialect a BMC speaks, by what recorded ones say of themselves; and that each says where it is from."""

from __future__ import annotations

from typing import Any

import pytest

from drivers.dialects import DIALECTS, STANDARD, dialect_of, vendor_of

# Vendor, Product and keys of Oem as the BMCs of NVIDIA/libredfish's tests/mockups give them (nvidia_viking is a DGX),
# manager and system beside them; sushy-emulator and DMTF's mockups name no vendor that anybody described.
RECORDED: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any], str, str]] = [
    ("dell", {"Vendor": "Dell", "Product": "Integrated Dell Remote Access Controller", "Oem": {"Dell": {}}},
     {"Manufacturer": "Dell Inc.", "SKU": "7LHP1G3", "SerialNumber": "CNFCP0012345678"},
     {"Model": "15G Monolithic", "FirmwareVersion": "6.00.30.00"}, "iDRAC 9", "7LHP1G3"),
    ("dell", {"Vendor": "Dell"}, {}, {"Model": "17G Monolithic", "FirmwareVersion": "1.20.25.00"}, "iDRAC 10", ""),
    ("hpe", {"Vendor": "HPE", "Product": "ProLiant DL385 Gen10 Plus v2", "Oem": {"Hpe": {}}},
     {"Manufacturer": "HPE", "SKU": "P38411-B21", "SerialNumber": "MXQ302099Z"},
     {"Model": "iLO 5", "FirmwareVersion": "iLO 5 v2.72"}, "iLO 5", "MXQ302099Z"),
    ("lenovo", {"Vendor": "Lenovo"}, {"Manufacturer": "Lenovo", "SKU": "7Z23CTO1WW", "SerialNumber": "J101RZ43"},
     {"Model": "Lenovo XClarity Controller", "FirmwareVersion": "TGBT20E 1.40 2021-05-17"}, "XCC", "J101RZ43"),
    ("supermicro", {"Oem": {"Supermicro": {}}},
     {"Manufacturer": "Supermicro", "SKU": "0x1D1415D9", "SerialNumber": "S889914X3710910"},
     {"Model": "ASPEED", "FirmwareVersion": "01.00.15"}, "Supermicro BMC", "S889914X3710910"),
    ("nvidia", {"Vendor": "AMI", "Product": "AMI Redfish Server", "Oem": {"Ami": {}}},
     {"Manufacturer": "NVIDIA", "SerialNumber": "1660224000063"}, {"Model": "DGX BMC"}, "NVIDIA BMC", "1660224000063"),
    ("openbmc", {}, {}, {"Model": "OpenBmc", "FirmwareVersion": "2.14.0"}, "OpenBMC", ""),
    ("standard", {"Vendor": "Acme"}, {"Manufacturer": "Acme", "SerialNumber": "A1"}, {}, "plain Redfish", "A1"),
    ("standard", {"Name": "Root Service"}, {"Manufacturer": "Sushy Emulator"}, {"Model": "Joo"}, "plain Redfish", ""),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "root", "system", "manager", "name", "serial"), RECORDED)
def test_a_recorded_bmc_is_known_by_its_vendor_and_named_in_the_vendors_word(
    slug: str, root: dict[str, Any], system: dict[str, Any], manager: dict[str, Any], name: str, serial: str
) -> None:
    dialect = dialect_of(root, system, manager)
    assert dialect.slug == slug
    assert dialect.name_of(manager) == name
    assert dialect.serial_of(system) == serial


def test_the_root_goes_before_the_system_that_stands_behind_it() -> None:
    """A GB300 of Supermicro: the host BMC is Supermicro's, the board NVIDIA's."""
    assert dialect_of({"Vendor": "Supermicro", "Product": "GB NVL"}, {"Manufacturer": "NVIDIA"}).slug == "supermicro"


def test_a_vendor_that_nobody_described_is_named_and_speaks_the_standard() -> None:
    assert dialect_of({"Vendor": "Acme"}) is STANDARD
    assert vendor_of({"Vendor": " Acme "}) == "Acme"
    assert vendor_of({}) == ""
    assert dialect_of({"Vendor": 3, "Oem": ["Dell"]}, {"Manufacturer": None}) is STANDARD, "junk is no vendor"


def test_every_dialect_has_its_own_words_and_says_where_its_facts_are_from() -> None:
    words = [word for each in DIALECTS for word in each.vendors]
    assert len(words) == len(set(words)) and all(word == word.lower() for word in words)
    assert len({each.slug for each in (*DIALECTS, STANDARD)}) == len(DIALECTS) + 1
    assert all("/" in each.source or "DMTF" in each.source for each in (*DIALECTS, STANDARD))
