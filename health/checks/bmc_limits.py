"""Checks of what the BMC measures: inlet air, power against the plan, redundancy of the power supplies."""

from __future__ import annotations

from collections.abc import Iterator

from health.checks.bmc import is_inlet, not_heard, supply_trouble
from health.checks.context import Context
from health.checks.model import CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.bmc import BmcReport


@check(
    "bmc.inlet",
    family="BMC",
    title="Inlet air is cool enough",
    needs="bmc",
    classes=("inlet.hot",),
    source="ASHRAE thermal guidelines, class A2: 35 C at most",
    fields=("temperatures",),
    limits={"inlet_warn_c": 32, "inlet_fail_c": 40},
)
def inlet(report: BmcReport | None, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """The sensors the BMC names inlet, intake or ambient, or places there (`PhysicalContext: Intake`)."""
    if report is None or report.error:
        yield not_heard(report, x)
        return
    if report.temperatures is None:
        yield unknown("the BMC does not report its temperatures")
        return
    sensors = [each for each in report.temperatures if is_inlet(each)]
    for sensor in sensors:
        said = f"{sensor.name}: {sensor.reading} C"
        if sensor.reading is None:
            yield unknown(f"{sensor.name}: no reading")
        elif sensor.reading >= x.limit(me, "inlet_fail_c"):
            yield fail(said, "inlet.hot", value=sensor.reading, excerpt=said)
        elif sensor.reading >= x.limit(me, "inlet_warn_c"):
            yield warn(said, "inlet.hot", value=sensor.reading, excerpt=said)
        else:
            yield ok(said, value=sensor.reading)
    if not sensors:
        yield info("the BMC has no sensor of the inlet air")


@check(
    "bmc.power",
    family="BMC",
    title="The machine draws no more than planned",
    needs="bmc",
    classes=("power.over",),
    source="device model: power_w is what its rack's feeds are planned with",
    fields=("draw_w",),
    limits={"power_warn_percent": 100, "power_fail_percent": 110},
)
def power(report: BmcReport | None, x: Context, me: CheckDeclaration) -> Outcome:
    """More than the plan can trip a feed when its pair is lost. A plan that the site is still to confirm is none."""
    if report is None or report.error:
        return not_heard(report, x)
    planned = 0 if "power_w" in x.spec.confirm else x.spec.power_w
    if report.draw_w is None:
        return info("the BMC does not report what the machine draws")
    said = f"draws {report.draw_w:.0f} W" + (f" of {planned} W planned" if planned else "")
    percent = report.draw_w * 100 / planned if planned else 0.0
    if planned and percent > x.limit(me, "power_fail_percent"):
        return fail(said, "power.over", value=report.draw_w, excerpt=said)
    if planned and percent > x.limit(me, "power_warn_percent"):
        return warn(said, "power.over", value=report.draw_w, excerpt=said)
    return ok(said, value=report.draw_w)


@check(
    "bmc.redundancy",
    family="BMC",
    title="Power supplies are redundant",
    needs="bmc",
    classes=("psu.redundancy",),
    source="Redfish: Power, Redundancy",
    fields=("redundancy",),
)
def redundancy(report: BmcReport | None, x: Context, me: CheckDeclaration) -> Outcome:
    """The BMC's own word; a supply that is lost explains it and is told by bmc.psu."""
    if report is None or report.error:
        return not_heard(report, x)
    word = report.redundancy
    if word is None:
        return info("the BMC does not report redundancy")
    if word.lower() in ("ok", "enabled"):
        return ok("the power supplies are redundant")
    if any(supply_trouble(supply) for supply in report.supplies or ()):
        return info(f"redundancy {word}, as a power supply explains")
    said = f"redundancy of the power supplies: {word}"
    return warn(said, "psu.redundancy", excerpt=said)
