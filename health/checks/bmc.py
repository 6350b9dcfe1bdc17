"""Checks of what the BMC says: does it answer, are power supplies, fans and temperatures well."""

from __future__ import annotations

from collections.abc import Iterator

from health.checks.context import Context
from health.checks.model import CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.bmc import BmcReport, PowerSupply, Sensor
from inventory.specs.device_model import Slot

_WORDS = {"ok": 0, "warning": 1, "critical": 2}
_INLET = ("inlet", "ambient", "intake")
_NO_BMC = "this machine has no BMC in the inventory"


@check(
    "bmc.reachable",
    family="BMC",
    title="The BMC answers",
    needs="bmc",
    classes=("bmc.unreachable", "bmc.password"),
    source="Redfish",
)
def reachable(report: BmcReport | None, x: Context, me: CheckDeclaration) -> Outcome:
    """Fails when the BMC gave no answer, or refuses our password; unknown when it was not asked."""
    if report is None:
        return unknown("the BMC was not asked") if x.bmc_expected else info(_NO_BMC)
    if report.error:
        return fail(report.error, "bmc.password" if report.refused else "bmc.unreachable")
    return ok(f"answers; power is {report.power}", observed={"power": report.power})


@check(
    "bmc.health",
    family="BMC",
    title="The BMC finds the machine well",
    needs="bmc",
    classes=("bmc.degraded", "fan.failed", "sensor.failed", "inlet.hot"),
    source="Redfish: Chassis, ComputerSystem, Thermal",
    fields=("system_health", "chassis_health", "fans", "temperatures"),
)
def health(report: BmcReport | None, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Fans and temperatures by the BMC's own words and limits; its summary counts where no power supply explains it."""
    if report is None or report.error:
        yield not_heard(report, x)
        return
    parts = [outcome for fan in report.fans or () for outcome in _fan(fan, report.power)]
    parts += [outcome for sensor in report.temperatures or () for outcome in _temperature(sensor)]
    yield from parts
    explained = bool(parts) or any(supply_trouble(supply) for supply in report.supplies or ())
    words = {"system": report.system_health, "chassis": report.chassis_health}
    bad = {name: word for name, word in words.items() if word and _WORDS.get(word.lower(), 1)}
    said = ", ".join(f"{name} health {word}" for name, word in bad.items())
    if bad and explained:
        yield info(f"{said}, as its parts explain")
    elif any(_WORDS.get(word.lower()) == 2 for word in bad.values()):
        yield fail(said, "bmc.degraded")
    elif bad:
        yield warn(said, "bmc.degraded")
    # A machine that is off has no fans to tell of.
    lost = [name for name, value in (("health", report.system_health), ("fans", report.fans)) if value is None]
    if lost and report.power != "off":
        yield unknown(f"the BMC does not report: {', '.join(lost)}")
    yield ok("system, fans and temperatures are well")


def not_heard(report: BmcReport | None, x: Context) -> Outcome:
    """What is said of a BMC that was not asked or gave no answer."""
    if report is None and not x.bmc_expected:
        return info(_NO_BMC)
    if report is None:
        return unknown("the BMC was not asked")
    return unknown(str(report.error) if report.refused else f"unreachable: {report.error}")


def _fan(fan: Sensor, power: str) -> Iterator[Outcome]:
    still = fan.reading == 0 and power == "on" and fan.state in (None, "Enabled")
    if still or _WORDS.get((fan.health or "ok").lower()) == 2:
        yield fail(f"{fan.name}: {fan.reading} rpm, health {fan.health}", "fan.failed", value=fan.reading)
    elif fan.health and fan.health.lower() != "ok":
        yield warn(f"{fan.name}: health {fan.health}", "fan.failed", value=fan.reading)


def is_inlet(sensor: Sensor) -> bool:
    """A name that says so, or the place, where the sensor is not of something else that has an intake of its own."""
    return sensor.context == "Intake" or any(word in sensor.name.lower() for word in _INLET)


def _temperature(sensor: Sensor) -> Iterator[Outcome]:
    """By the class that the other checks of such a sensor have, so that it is one fault with theirs."""
    fault_class = "inlet.hot" if is_inlet(sensor) else "sensor.failed"
    over = sensor.reading is not None and sensor.upper_critical is not None and sensor.reading >= sensor.upper_critical
    if over or _WORDS.get((sensor.health or "ok").lower()) == 2:
        yield fail(f"{sensor.name}: {sensor.reading} C, health {sensor.health}", fault_class, value=sensor.reading)
    elif sensor.health and sensor.health.lower() != "ok":
        yield warn(f"{sensor.name}: {sensor.reading} C, health {sensor.health}", fault_class, value=sensor.reading)


@check(
    "bmc.psu",
    family="BMC",
    title="Every power supply has input and works",
    part="psu",
    needs="bmc",
    classes=("psu.lost",),
    source="Redfish: Power",
    fields=("supplies",),
)
def psu(slot: Slot, report: BmcReport | None, x: Context, me: CheckDeclaration) -> Outcome:
    """A supply without input, failed or absent; named by its slot."""
    if report is None or report.error:
        return not_heard(report, x)
    if report.supplies is None:
        return unknown("the BMC does not report its power supplies")
    supply = _supply_in(slot, report.supplies, x)
    if supply is None:
        shown = "\n".join(["Listed:", *(f"{each.name}: {each.state}, {each.health}" for each in report.supplies)])
        said = f"{slot.text} is not listed: {len(report.supplies)} power supplies are"
        return fail(said, "psu.lost", excerpt=shown)
    trouble = supply_trouble(supply)
    seen = {"serial": supply.serial}
    if trouble:
        return fail(f"{supply.name}: {trouble}", "psu.lost", excerpt=f"{supply.name}: {trouble}", observed=seen)
    if supply.health is None:
        return unknown(f"{supply.name}: its health is not reported")
    if supply.health.lower() != "ok":
        return warn(f"{supply.name}: health {supply.health}", "psu.lost", observed=seen)
    wanted = x.component(slot.name).serial
    if wanted and supply.serial and supply.serial != wanted:
        return warn(f"{supply.name}: serial {supply.serial}, installed is {wanted}", "psu.identity", observed=seen)
    return ok(f"{supply.name}: OK", observed=seen)


def _supply_in(slot: Slot, supplies: tuple[PowerSupply, ...], x: Context) -> PowerSupply | None:
    """By the printed number; a model that counts from 0 where the BMC counts from 1 is matched by order."""
    slots = x.spec.slots_of("psu")
    numbers = [supply.number for supply in supplies]
    own = [int(each.name.split()[-1]) for each in slots if each.name.split()[-1].isdecimal()]
    if len(own) == len(slots) and set(numbers) <= set(own):
        wanted = int(slot.name.split()[-1])
        return next((supply for supply in supplies if supply.number == wanted), None)
    return supplies[slots.index(slot)] if len(supplies) == len(slots) else None


def supply_trouble(supply: PowerSupply) -> str:
    """What is wrong with a supply, or nothing."""
    if supply.state in ("UnavailableOffline", "Absent", "Disabled"):
        return f"{supply.state}, health {supply.health}"
    if _WORDS.get((supply.health or "ok").lower()) == 2:
        return f"health {supply.health}"
    if supply.input_status in ("LossOfInput", "OutOfRange"):
        return f"its input is {supply.input_status}"
    return "no input voltage" if supply.input_volts == 0 else ""
