"""Who has to act on a failure first. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from provisioning.steps import FailureClass


class Owner(StrEnum):
    HANDS = "hands"
    """A technician at the rack."""
    VENDOR = "vendor"
    """Who delivered the machine: a part is missing, dead or another one than ordered."""
    NETWORK = "network"
    OPERATOR = "operator"
    """Whoever runs the service: a setting, a password, an image."""


_F = FailureClass
OWNERS: Mapping[FailureClass, Owner] = {
    _F.NO_BMC: Owner.HANDS,
    _F.BMC_REFUSES: Owner.OPERATOR,
    _F.WRONG_IDENTITY: Owner.HANDS,
    _F.NO_POWER: Owner.HANDS,
    _F.NO_POST: Owner.VENDOR,
    _F.NO_LINK: Owner.HANDS,
    _F.WRONG_PORT: Owner.HANDS,
    _F.NO_PXE_REQUEST: Owner.OPERATOR,
    _F.DHCP_FAILED: Owner.NETWORK,
    _F.SECOND_DHCP: Owner.NETWORK,
    _F.TFTP_FAILED: Owner.NETWORK,
    _F.NO_MEDIA: Owner.OPERATOR,
    _F.MEDIA_UNLICENSED: Owner.VENDOR,
    _F.MEDIA_IN_USE: Owner.OPERATOR,
    _F.MEDIA_STUCK: Owner.OPERATOR,
    _F.BOOTED_ELSEWHERE: Owner.OPERATOR,
    _F.NO_INSTALLER: Owner.OPERATOR,
    _F.INSTALL_DISK: Owner.VENDOR,
    _F.INSTALL_NETWORK: Owner.NETWORK,
    _F.INSTALL_PACKAGE: Owner.OPERATOR,
    _F.INSTALL_FAILED: Owner.OPERATOR,
    _F.NO_PHONE_HOME: Owner.NETWORK,
    _F.NO_SSH: Owner.NETWORK,
    _F.SOFTWARE_FAILED: Owner.OPERATOR,
    _F.GPU_TESTS_FAILED: Owner.VENDOR,
    _F.FABRIC_FAILED: Owner.HANDS,
    _F.PART_MISSING: Owner.VENDOR,
    _F.DRIVE_FAILED: Owner.VENDOR,
    _F.PCIE_NARROW: Owner.HANDS,
    _F.CLOCK_WRONG: Owner.OPERATOR,
    _F.CHECKS_FAILED: Owner.HANDS,
    _F.BMC_SETUP_FAILED: Owner.OPERATOR,
    _F.NO_ENGINE: Owner.OPERATOR,
    _F.RECORD_LOST: Owner.OPERATOR,
    _F.COMMISSION_FAILED: Owner.HANDS,
    _F.INSPECTION_FAILED: Owner.OPERATOR,
    _F.CLEANING_FAILED: Owner.VENDOR,
    _F.WRONG_HARDWARE: Owner.VENDOR,
}
