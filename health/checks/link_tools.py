"""Checks of one network port by `mlxlink`, `ethtool -S` and `ethtool -m`; the part is the card's slot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from health.checks.context import Context
from health.checks.engine import lead
from health.checks.hca_tools import card_slot
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.card_files import CardFiles
from health.checks.parsers.link_tools import MlxLink, ModuleAlarms, PortStatistics

_MLXLINK = "NVIDIA Firmware Tools documentation, mlxlink"
# Errors of the wire in the names of mlx5, ice, i40e, bnxt and the kernel's own statistics.
_WIRE_ERRORS = ("rx_crc_errors_phy", "rx_symbol_err_phy", "rx_crc_errors", "rx_crc_errors.nic", "rx_fcs_err_frames",
                "rx_symbol_err", "port.rx_crc_errors", "rx_pcs_symbol_err_phy")  # fmt: skip
_PACKETS = ("rx_packets_phy", "rx_packets", "rx_good_frames", "port.rx_unicast", "rx_unicast.nic")


def _port(device: str, interface: str, x: Context) -> tuple[str, str]:
    """Part and name of a port that a tool calls by its RDMA device, PCI address or network interface."""
    slot = card_slot(x, device=device) if device else None
    reading = x.readings.get("card_files")
    cards: Mapping[str, CardFiles] = reading.data if reading and isinstance(reading.data, Mapping) else {}
    if slot is None and interface:
        owner = next((name for name, card in cards.items() if interface in card.mtus), "")
        slot = x.spec.slot_by_device(owner) if owner else None
    return (slot.name if slot else MACHINE), device or interface or "the port"


@check(
    "hca.link_quality",
    family="InfiniBand",
    title="The link of a network card is clean (mlxlink)",
    part="hca",
    needs="mlxlink",
    each=False,
    optional=True,
    classes=("hca.link", "net.optic"),
    source=f"{_MLXLINK}; InfiniBand Architecture Specification: at most one bit error in 10^12 after correction",
    limits={"effective_ber_fail": 1e-12, "raw_ber_warn": 1e-5},
)
def link_quality(found: MlxLink, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Up, with few bit errors before correction (raw) and as good as none after it (effective); the module's light,
    current and temperature within the bounds it has itself."""
    part, who = _port(found.device, found.device, x)
    slot = x.spec.slot(part)
    needed = slot is None or slot.rail is not None or slot.link_layer == "InfiniBand"
    wanted = slot.speed_gbps if slot and needed else None
    yield part, lead(_quality(found, who, x, me, needed=needed, wanted=wanted))


def _quality(
    found: MlxLink, who: str, x: Context, me: CheckDeclaration, *, needed: bool, wanted: float | None
) -> Iterator[Outcome]:
    advice = found.recommendation if found.opcode not in (None, "0") else ""
    shown = "\n".join(f"{name}: {value}" for name, value in (
        ("State", found.state), ("Physical state", found.physical_state), ("Speed", found.speed),
        ("Width", found.width), ("Recommendation", found.recommendation), ("Effective BER", found.effective_ber),
        ("Raw BER", found.raw_ber), ("Link down counter", found.link_downs)) if value is not None)  # fmt: skip
    if found.state is None:
        yield unknown(f"{who}: its state is not reported", excerpt=shown)
        return
    if found.state.lower() != "active":
        said = f"{who}: {found.state}, {found.physical_state}{f'; {advice}' if advice else ''}"
        yield fail(said, "hca.link", excerpt=shown) if needed else info(f"{said}; the model does not need this port")
        return
    if wanted and found.gbps is not None and found.gbps < wanted:
        yield fail(f"{who}: {found.gbps:g} Gb/s, the model has {wanted}", "hca.link", excerpt=shown, value=found.gbps)
    for what, rate, limit, say in (
        ("after correction (effective)", found.effective_ber, x.limit(me, "effective_ber_fail"), fail),
        ("before correction (raw)", found.raw_ber, x.limit(me, "raw_ber_warn"), warn),
    ):
        if rate is not None and rate > limit:
            yield say(f"{who}: bit errors {what} {rate:.1e}, limit {limit:.0e}", "net.optic", excerpt=shown, value=rate)
    for value in found.outside:
        yield warn(f"{who}: {value}", "net.optic", excerpt=value)
    yield ok(f"{who}: {found.state}, {found.speed or 'speed not reported'}")


@check(
    "hca.wire_errors",
    family="network",
    title="Few packets of an interface arrive damaged (ethtool -S)",
    part="hca",
    needs="port_statistics",
    each=False,
    optional=True,
    classes=("net.optic",),
    source="Linux kernel documentation, mlx5 ethtool counters; the share of packets, as counters are of a lifetime",
    limits={"wire_errors_warn_share": 1e-7, "wire_errors_least": 100},
)
def wire_errors(found: PortStatistics, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Errors of checksum and symbols by packets received; so few of them say nothing."""
    part, who = _port("", found.interface, x)
    errors = {name: found.counters[name] for name in _WIRE_ERRORS if found.counters.get(name)}
    packets = next((found.counters[name] for name in _PACKETS if name in found.counters), None)
    total = sum(errors.values())
    if packets is None or not any(name in found.counters for name in _WIRE_ERRORS):
        yield part, unknown(f"{who}: this driver reports no packets or no errors of the wire")
        return
    share = total / max(1, packets)
    if total >= x.limit(me, "wire_errors_least") and share >= x.limit(me, "wire_errors_warn_share"):
        shown = "\n".join(f"{name}: {value}" for name, value in errors.items())
        yield (
            part,
            warn(f"{who}: {total} of {packets} packets arrived damaged", "net.optic", excerpt=shown, value=share),
        )
    else:
        yield part, ok(f"{who}: {total} of {packets} packets arrived damaged", value=share)


@check(
    "hca.module",
    family="network",
    title="The module in an interface has no alarm (ethtool -m)",
    part="hca",
    needs="module_alarms",
    each=False,
    optional=True,
    classes=("net.optic",),
    source="SFF-8636, CMIS: alarm and warning flags of a module",
)
def module(found: ModuleAlarms, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """The module compares light, current, voltage and temperature with its own limits."""
    part, who = _port("", found.interface, x)
    shown = "\n".join((*found.alarms, *found.warnings))
    if found.alarms:
        yield part, fail(f"{who}: {', '.join(found.alarms[:4])}", "net.optic", excerpt=shown)
    elif found.warnings:
        yield part, warn(f"{who}: {', '.join(found.warnings[:4])}", "net.optic", excerpt=shown)
    elif not found.complete:
        yield part, unknown(f"{who}: not all alarms of its module are reported")
    else:
        yield part, ok(f"{who}: no alarm" if found.told else f"{who}: this module measures nothing")
