"""Whether a machine rebooted by itself: its boot is another, and nobody here took it out of service. Pure.

Only the look after a restart can tell it, so when it was is left for the looks that follow, among the counters of the
machine.
"""

from __future__ import annotations

from collections.abc import Mapping

COUNTER = "started by itself at"


def restarted_at(
    boot_id: str,
    started_at: float,
    before: tuple[str, float, Mapping[str, int]] | None,
    in_service_since: float | None,
) -> float | None:
    """When it last started without being asked to, in seconds since 1970; None when that is not known to have happened.

    `before` is the look before: its boot id, when it was, and its counters of the machine. A machine that was out of
    service at any time since then may have been restarted by whoever took it out; `in_service_since` None: it still is.
    """
    if before is None or not before[0] or not boot_id:
        return None
    known_boot, looked_at, counters = before
    if boot_id == known_boot:
        at = counters.get(COUNTER)
        return None if at is None else float(at)
    asked = in_service_since is None or in_service_since > looked_at
    return None if asked else started_at
