"""Addresses of devices beside the two that a machine has of its own."""

from __future__ import annotations

import ipaddress

from inventory.models import AddressClaim, Device, IpAddress, Port
from inventory.services.refusals import Refused, refusing


def add_address(
    device: Device, address: str, *, port_id: int | None = None, prefix_length: int | None = None,
    vlan: int | None = None, dns_name: str = "",
) -> IpAddress:  # fmt: skip
    """Give a device, or one of its ports, one more address.

    Raises Refused for what is no address, for a port of another device, and for an address that a device of the site
    has already: it is named, also when it got the address at this very moment.
    """
    try:
        plain = str(ipaddress.ip_address(address.strip()))
    except ValueError:
        raise Refused("address", "This is no IP address.") from None
    longest = 128 if ":" in plain else 32
    if prefix_length is not None and not 0 <= prefix_length <= longest:
        raise Refused("prefix_length", f"A prefix of this address has at most {longest} bits.")
    if port_id is not None and not Port.objects.filter(pk=port_id, device=device).exists():
        raise Refused("port", f"{device.name} has no such port.")
    try:
        with refusing():
            return IpAddress.objects.create(
                device=device, port_id=port_id, address=plain, prefix_length=prefix_length, vlan=vlan, dns_name=dns_name
            )
    except Refused as refused:
        if refused.field == "address":
            raise Refused("address", _whose(device.site_id, plain) or refused.reason) from refused
        raise


def _whose(site_id: int, address: str) -> str:
    """Which device of the site has the address, in words; nothing when it was freed meanwhile."""
    claim = AddressClaim.objects.filter(site_id=site_id, address=address).select_related("device").first()
    if claim is None:
        return ""
    what = {"primary": "the primary address", "bmc": "the BMC's address", "additional": "an address"}[claim.source]
    return f"{address} is {what} of {claim.device.name}."
