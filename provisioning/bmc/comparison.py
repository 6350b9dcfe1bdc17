"""What a machine's BMC tells beside what the profile of its model wants. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from drivers.bmc.settings import AREAS, NTP_SETTINGS, SYSTEM_SETTINGS, Settings
from provisioning.bmc.words import Comparison

MOST_ROWS = 500
NAMES = {"system": SYSTEM_SETTINGS, "ntp": NTP_SETTINGS}
SCHEMES = ("http://", "https://")
_FILE = re.compile(r"[\w][\w.+-]{0,199}")


class BadProfile(ValueError):
    """`problems`: (place, reason) of every row that cannot be taken."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{place}: {reason}" for place, reason in problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of a profile."""

    area: str
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Baseline:
    """Firmware that a component is to have. `component` is a pattern (`*BIOS*`) of id or name in the inventory; `image`
    an address that the BMC fetches, or a file of the site's folder that is pushed; empty: compared and not updated."""

    component: str
    version: str
    image: str = ""


@dataclass(frozen=True, slots=True)
class Component:
    """One member of a machine's firmware inventory."""

    id: str
    name: str
    version: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class SettingDifference:
    area: str
    name: str
    wanted: Any
    found: Any
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class FirmwareDifference:
    """`found`: the members of the inventory that the pattern names, and do not have the wanted version."""

    wanted: Baseline
    found: tuple[Component, ...]
    comparison: Comparison


def profile_from(settings: Sequence[Mapping[str, Any]], firmware: Sequence[Mapping[str, Any]]) -> None:
    """Check the rows of a profile. Raises BadProfile with each that is wrong; rows count from 1."""
    problems = []
    seen: set[tuple[str, str]] = set()
    for number, row in enumerate(settings, start=1):
        key = (str(row["area"]), str(row["name"]))
        if reason := _wrong_setting(*key, row["value"]) or ("is there twice" if key in seen else ""):
            problems.append((f"settings row {number} ({key[1] or 'without a name'})", reason))
        seen.add(key)
    components: set[str] = set()
    for number, row in enumerate(firmware, start=1):
        component = str(row["component"])
        if reason := _wrong_image(str(row["image"])) or ("is there twice" if component in components else ""):
            problems.append((f"firmware row {number} ({component})", reason))
        components.add(component)
    if problems:
        raise BadProfile(problems)


def _wrong_setting(area: str, name: str, value: Any) -> str:
    if area not in AREAS:
        return f"the area is one of {', '.join(AREAS)}"
    if area in NAMES and name not in NAMES[area]:
        return f"the area {area} has {', '.join(NAMES[area])}"
    if name in ("BootOrder", "NTPServers"):
        whole = isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)
        return "" if whole else "the value is a list of texts"
    if name == "ProtocolEnabled" and not isinstance(value, bool):
        return "the value is true or false"
    if not isinstance(value, str | int | bool):
        return "the value is a text, a number, true or false"
    return ""


def _wrong_image(image: str) -> str:
    if not image or image.startswith(SCHEMES) or _FILE.fullmatch(image):
        return ""
    return "the image is an http(s) address, or the name of a file in the folder of firmware"


MOST_SENTENCES = 20


def sentences(settings: Sequence[SettingDifference], firmware: Sequence[FirmwareDifference]) -> list[str]:
    """The first differences, one sentence each."""
    said = [_setting(row) for row in settings[:MOST_SENTENCES]]
    said += [_component(row) for row in firmware[:MOST_SENTENCES]]
    return [each[:200] for each in said[:MOST_SENTENCES]]


def _setting(row: SettingDifference) -> str:
    if row.comparison is Comparison.MISSING:
        return f"{row.name} is not reported, wanted {text_of(row.wanted)}"
    if row.comparison is Comparison.PENDING:
        return f"{row.name} {text_of(row.wanted)} waits for the machine's start"
    return f"{row.name} is {text_of(row.found)}, wanted {text_of(row.wanted)}"


def _component(row: FirmwareDifference) -> str:
    if not row.found:
        return f"no firmware is called {row.wanted.component}, wanted {row.wanted.version}"
    first = row.found[0]
    return f"{first.name or first.id} is {first.version}, wanted {row.wanted.version}"


def text_of(value: Any) -> str:
    """A value of a setting as it is read, at most 60 characters."""
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return (text or "empty")[:60]


def nested(rows: Sequence[Setting]) -> Settings:
    """Rows as {area: {name: value}}."""
    found: Settings = {}
    for row in rows:
        found.setdefault(row.area, {})[row.name] = row.value
    return found


def settings_beside(wanted: Sequence[Setting], found: Settings, pending: Settings) -> list[SettingDifference]:
    """Every setting that is not as wanted, in the order of the profile."""
    rows = []
    for each in wanted:
        there = found.get(each.area, {})
        value = there.get(each.name)
        if each.name not in there:
            comparison = Comparison.MISSING
        elif same(each.name, each.value, value):
            comparison = Comparison.SAME
        else:
            waits = same(each.name, each.value, pending.get(each.area, {}).get(each.name))
            comparison = Comparison.PENDING if waits else Comparison.DIFFERS
        if comparison is not Comparison.SAME:
            rows.append(SettingDifference(each.area, each.name, each.value, value, comparison))
    return rows


def same(name: str, wanted: Any, found: Any) -> bool:
    """Whether a value is the wanted one. Time servers may have empty places behind them; of the boot order the first
    are wanted, and others may follow. A number and its text are one, as BIOS attributes have both."""
    if isinstance(wanted, list):
        told = [each for each in found if each] if isinstance(found, list) else []
        return told[: len(wanted)] == wanted if name == "BootOrder" else sorted(told) == sorted(wanted)
    if isinstance(wanted, bool) or isinstance(found, bool):
        return wanted is found
    return found is not None and str(wanted) == str(found)


def firmware_beside(wanted: Sequence[Baseline], found: Sequence[Component]) -> list[FirmwareDifference]:
    """Every component that has not the wanted version, in the order of the baseline."""
    rows = []
    for each in wanted:
        named = [component for component in found if _is_named(each.component, component)]
        others = tuple(component for component in named if component.version != each.version)
        if not named:
            rows.append(FirmwareDifference(each, (), Comparison.MISSING))
        elif others:
            rows.append(FirmwareDifference(each, others, Comparison.DIFFERS))
    return rows


def _is_named(pattern: str, component: Component) -> bool:
    return any(fnmatchcase(text.lower(), pattern.lower()) for text in (component.id, component.name))
