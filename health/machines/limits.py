"""Every number of the guards: what it is called, in which unit, from where to where, and its default. Pure.

This one table makes the columns of a site, the fields of the API, the page of the dashboard and the rules' arguments; a
limit that is added here is there. `docs/remediation.md` lists them, and a test keeps the list equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from typing import Any

DAY_S, WEEK_S = 86_400, 604_800


class Group(StrEnum):
    """What a limit is about; the order on the page."""

    BUDGETS = "Disruption budgets"
    CAUSES = "Common causes"
    POWER = "Power"
    MACHINE = "One machine"
    BREAKER = "Circuit breaker"
    WAITING = "Waiting"
    TRUST = "Trust in numbers"


@dataclass(frozen=True, slots=True)
class Range:
    """What people read of a limit, and what it may be. `unit` is empty for a plain count."""

    group: Group
    title: str
    unit: str
    low: float
    high: float


def _limit(default: Any, group: Group, title: str, *, unit: str = "", low: float = 0, high: float) -> Any:
    return field(default=default, metadata={"range": Range(group, title, unit, low, high)})


_G = Group


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a site. Durations are seconds, shares 0 to 1."""

    min_unavailable: int = _limit(
        1, _G.BUDGETS, "Machines that may be out whatever the share of the pool says", unit="machines", high=1000
    )
    min_unavailable_from: int = _limit(
        4, _G.BUDGETS, "Pools of this size or more have that minimum", unit="machines", low=1, high=100_000
    )
    drains_10min: int = _limit(2, _G.BUDGETS, "Automatic drains of a pool in 10 minutes", unit="drains", high=1000)
    drains_1h: int = _limit(5, _G.BUDGETS, "Automatic drains of a pool in an hour", unit="drains", high=10_000)
    cause_machines: int = _limit(
        2, _G.CAUSES, "Machines with alike faults behind one cause; more are one incident", unit="machines", high=1000
    )
    cause_share: float = _limit(
        0.5, _G.CAUSES, "Share of a cause's machines that must be affected", unit="share", high=1
    )
    cause_explains: float = _limit(
        0.8, _G.CAUSES, "Share of a mass failure that its cause must explain", unit="share", high=1
    )
    cause_window_s: int = _limit(
        900, _G.CAUSES, "Faults within this time may have one cause", unit="s", low=60, high=DAY_S
    )
    cause_out_s: int = _limit(
        DAY_S, _G.CAUSES, "How long a drained machine counts for a common cause", unit="s", high=WEEK_S
    )
    suspicious_share: float = _limit(
        0.03, _G.CAUSES, "Share of a pool with alike faults that is a mass failure", unit="share", high=1
    )
    suspicious_machines: int = _limit(
        3, _G.CAUSES, "Machines of a pool with alike faults, at least, for a mass failure",
        unit="machines", low=2, high=10_000,
    )  # fmt: skip
    suspicion_s: int = _limit(
        4 * 3600, _G.CAUSES, "Suspicion of alike faults ends this long after the last one", unit="s", low=60,
        high=WEEK_S,
    )  # fmt: skip
    rollout_s: int = _limit(
        WEEK_S, _G.CAUSES, "How long a new version of software counts as a roll-out", unit="s", high=30 * DAY_S
    )
    power_at_once: int = _limit(1, _G.POWER, "Power actions of the site at once", unit="actions", high=1000)
    power_spacing_s: int = _limit(30, _G.POWER, "Between two power actions of the site", unit="s", high=DAY_S)
    power_1h: int = _limit(4, _G.POWER, "Power actions of the site in an hour", unit="actions", high=1000)
    power_off_s: int = _limit(120, _G.POWER, "A machine stays off in a power cycle", unit="s", high=3600)
    reboots_7d: int = _limit(2, _G.MACHINE, "Reboots and power cycles in seven days", unit="reboots", high=1000)
    remediations_7d: int = _limit(5, _G.MACHINE, "Remediations in seven days", unit="actions", high=1000)
    flaps_24h: int = _limit(
        4, _G.MACHINE, "Changes from failing to passing in a day that make a check flapping", unit="changes", low=1,
        high=1000,
    )  # fmt: skip
    redrain_cooldown_s: int = _limit(
        4 * 3600, _G.MACHINE, "Cooldown of a check after a person put the machine back", unit="s", high=WEEK_S
    )
    breaker_refused_1h: int = _limit(
        5, _G.BREAKER, "Incidents refused by a budget in an hour", unit="incidents", low=1, high=10_000
    )
    breaker_ambiguous: int = _limit(2, _G.BREAKER, "Ambiguous actions", unit="actions", low=1, high=1000)
    breaker_failed_verifications: int = _limit(
        3, _G.BREAKER, "Machines in a row whose verification failed", unit="machines", low=1, high=1000
    )
    breaker_drained_share: float = _limit(
        0.05, _G.BREAKER, "Share of the site's machines drained by automation", unit="share", high=1
    )
    breaker_drained_machines: int = _limit(
        5, _G.BREAKER, "Machines drained by automation, at least, before that share counts", unit="machines", low=1,
        high=10_000,
    )  # fmt: skip
    breaker_drained_window_s: int = _limit(
        DAY_S, _G.BREAKER, "Drains within this time count for that share", unit="s", low=60, high=WEEK_S
    )
    patience_s: int = _limit(1800, _G.WAITING, "Automation may wait for leave before a person is asked", unit="s",
                             high=WEEK_S)  # fmt: skip
    retry_s: int = _limit(300, _G.WAITING, "After an action that was never sent", unit="s", high=DAY_S)
    retries: int = _limit(12, _G.WAITING, "Actions of an incident never sent, before a person is asked",
                          unit="actions", low=1, high=1000)  # fmt: skip
    lease_s: int = _limit(120, _G.WAITING, "A worker's lease of an action", unit="s", low=30, high=3600)
    inventory_age_s: int = _limit(900, _G.TRUST, "Oldest numbers that automation acts on", unit="s", low=60, high=DAY_S)
    clock_step_s: int = _limit(60, _G.TRUST, "Jump of a clock that stops automation", unit="s", low=1, high=3600)
    golden_days: int = _limit(
        14, _G.TRUST, "Clean days after which a machine joins the golden set", unit="days", low=1, high=3650
    )


class LimitsRefused(ValueError):
    """Limits that cannot be: `fields` says why, by name."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {why}" for name, why in fields.items()))
        self.fields = dict(fields)


TABLE: dict[str, Field[Any]] = {each.name: each for each in fields(Limits)}


def range_of(name: str) -> Range:
    found: Range = TABLE[name].metadata["range"]
    return found


def is_share(name: str) -> bool:
    return isinstance(TABLE[name].default, float)


def checked(wanted: Mapping[str, Any]) -> dict[str, float]:
    """What was wanted, if every name is a limit and every value in its range. Raises LimitsRefused naming all."""
    wrong = {name: why for name, value in wanted.items() if (why := _refusal(name, value))}
    if wrong:
        raise LimitsRefused(wrong)
    return {name: float(value) if is_share(name) else int(value) for name, value in wanted.items()}


def _refusal(name: str, value: Any) -> str:
    if name not in TABLE:
        return "There is no such limit."
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "Give a number."
    if not is_share(name) and not isinstance(value, int):
        return "Give a whole number."
    about = range_of(name)
    if not about.low <= value <= about.high:  # also refuses what is no number at all, NaN
        return f"Give a value from {about.low:g} to {about.high:g}."
    return ""
