"""Checks of the processors and of what the kernel counts: governor, throttling, clock source, memory errors, limits."""

from __future__ import annotations

from collections.abc import Iterator

from core.counts import counted
from health.checks.context import Context
from health.checks.model import CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.kernel_files import KernelFiles, MemoryPlace

_STEADY_CLOCKS = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter")


@check(
    "cpu.count",
    family="CPU",
    title="Every processor is online",
    needs="kernel_files",
    fields=("online",),
    classes=("cpu.missing",),
    source="Linux kernel documentation, CPU topology; device model",
)
def count(files: KernelFiles, x: Context, me: CheckDeclaration) -> Outcome:
    """As many as are present, and as many as `expected.cpus` of the model says."""
    online, present, wanted = files.online, files.present, x.spec.expected.get("cpus")
    if online is None or present is None:
        return unknown("the processors are not reported")
    if online < present:
        return fail(f"{online} of {present} processors are online", "cpu.missing", value=online)
    if wanted and online < int(wanted):
        return fail(f"{online} processors, the model has {wanted}", "cpu.missing", value=online)
    if wanted and online > int(wanted):
        return warn(f"{online} processors, the model has {wanted}", "cpu.missing", value=online)
    return ok(f"{online} processors are online", value=online)


@check(
    "cpu.governor",
    family="CPU",
    title="Processors run by the performance governor",
    needs="kernel_files",
    source="Linux kernel documentation, CPU performance scaling",
)
def governor(files: KernelFiles, x: Context, me: CheckDeclaration) -> Outcome:
    """Others save power between steps of a job and make one machine slower than its neighbours."""
    wanted = str(x.spec.expected.get("cpu_governor", "performance"))
    if not files.governors:
        return info("this machine's kernel does not scale its processors")
    others = {cpu: said for cpu, said in files.governors.items() if said != wanted}
    if others:
        kinds = ", ".join(sorted(set(others.values())))
        return warn(
            f"{len(others)} of {len(files.governors)} processors run by {kinds}, not {wanted}",
            action=f"Set the governor to {wanted} (cpupower frequency-set -g {wanted}).",
            value=len(others),
        )
    return ok(f"{counted(len(files.governors), 'processor runs', 'processors run')} by {wanted}")


@check(
    "cpu.frequency",
    family="CPU",
    title="Processors may run at their full frequency",
    needs="kernel_files",
    source="practice: a cap left behind, or a machine stuck at its lowest frequency, slows a whole run",
    limits={"cpu_cap_percent": 95, "cpu_mhz_floor": 1000},
)
def frequency(files: KernelFiles, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """A cap below what the processor can do, or all of those looked at under the floor in spite of the governor."""
    if not files.max_khz or not files.able_khz:
        yield info("this machine's kernel does not scale its processors")
        return
    least = min(files.max_khz.values())
    if least < files.able_khz * x.limit(me, "cpu_cap_percent") / 100:
        said = f"capped at {least // 1000} MHz, they can do {files.able_khz // 1000} MHz"
        yield warn(said, "cpu.throttled", value=least / 1000)
    fastest = max(files.now_khz.values(), default=None)
    eager = set(files.governors.values()) == {"performance"}
    if eager and fastest is not None and fastest < x.limit(me, "cpu_mhz_floor") * 1000:
        said = f"none of {len(files.now_khz)} processors checked is faster than {fastest // 1000} MHz"
        yield warn(said, "cpu.throttled", value=fastest / 1000)
    yield ok(f"up to {least // 1000} MHz", value=least / 1000)


@check(
    "cpu.throttle",
    family="CPU",
    title="Processors are not slowed down by heat",
    needs="kernel_files",
    classes=("cpu.throttled",),
    source="Linux kernel, thermal_throttle counters",
    limits={"cpu_throttles_per_hour_warn": 10},
)
def throttle(files: KernelFiles, x: Context, me: CheckDeclaration) -> Outcome:
    """The counters run since the start, so they are judged by how many there were in an hour of it."""
    if not files.throttles:
        return info("this machine's kernel does not count thermal throttling")
    if not files.uptime_s:
        return unknown("the time since the start is not reported")
    most = max(files.throttles.values())
    rate = most / max(files.uptime_s / 3600, 1.0)
    said = f"throttled {most} times since the start, {rate:.1f} an hour"
    if rate >= x.limit(me, "cpu_throttles_per_hour_warn"):
        return warn(said, "cpu.throttled", value=rate)
    return ok(said, value=rate)


@check(
    "clock.source",
    family="clock",
    title="The kernel keeps time by the processor's counter",
    needs="kernel_files",
    source="Linux kernel documentation, timekeeping",
)
def clocksource(files: KernelFiles, x: Context, me: CheckDeclaration) -> Outcome:
    """When the kernel distrusts it, it falls back to a timer that costs every time stamp a slow access."""
    wanted = x.spec.expected.get("clocksource")
    if files.clocksource is None:
        return unknown("the clock source is not reported")
    if files.clocksource in ((str(wanted),) if wanted else _STEADY_CLOCKS):
        return ok(f"clock source {files.clocksource}")
    return warn(
        f"clock source {files.clocksource}, not {wanted or 'tsc'}",
        action="Read the kernel log for why it was given up; reboot.",
    )


@check(
    "memory.edac",
    family="memory",
    title="Memory error counters (EDAC)",
    needs="kernel_files",
    fields=("memory",),
    classes=("memory.uncorrectable",),
    source="Linux kernel documentation, EDAC",
    limits={"memory_corrected_per_hour_warn": 1000},
)
def edac(files: KernelFiles, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Per DIMM since the start: one uncorrected error fails, corrected ones warn by how many there are in an hour."""
    if not files.memory:
        yield info("no memory controller of this machine reports errors (no EDAC driver)")
        return
    for place in files.memory:
        yield from _place(place, files, x, me)
    yield ok(f"no memory errors on {len(files.memory)} DIMMs")


def _place(place: MemoryPlace, files: KernelFiles, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    name = f"{place.label} ({place.name})" if place.label else place.name
    if place.uncorrected is None or place.corrected is None:
        yield unknown(f"{name}: its counters are not reported")
    if place.uncorrected:
        said = f"{name}: {place.uncorrected} uncorrected memory errors since the start"
        yield fail(said, "memory.uncorrectable", excerpt=said, value=place.uncorrected)
    if not place.corrected:
        return
    rate = place.corrected / max((files.uptime_s or 0) / 3600, 1.0)
    said = f"{name}: {place.corrected} corrected memory errors since the start"
    said += f", {rate:.0f} an hour" if files.uptime_s else ""
    if rate >= x.limit(me, "memory_corrected_per_hour_warn"):
        yield warn(said, excerpt=said, value=rate, action="Watch this DIMM; replace it at the next maintenance.")
    else:
        yield info(said, value=rate)


@check(
    "system.limits",
    family="system",
    title="Open files and processes stay under the system's limits",
    needs="kernel_files",
    classes=("system.limits",),
    source="Linux kernel documentation, fs.file-nr and kernel.pid_max",
    limits={"limits_warn_percent": 80, "limits_fail_percent": 95},
)
def limits(files: KernelFiles, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """At a limit no file can be opened and no process started, and nothing says why."""
    for what, used, most in (
        ("files are open", files.files_open, files.files_max),
        ("processes and threads run", files.tasks, files.tasks_max),
    ):
        if used is None or not most:
            yield unknown(f"how many {what} is not reported")
            continue
        percent = used * 100 / most
        said = f"{used} {what}, {percent:.0f} % of the limit"
        if percent >= x.limit(me, "limits_fail_percent"):
            yield fail(said, "system.limits", value=percent)
        elif percent >= x.limit(me, "limits_warn_percent"):
            yield warn(said, "system.limits", value=percent)
    yield ok(f"{files.files_open} files, {files.tasks} processes and threads")
