"""The launch check: a real all-reduce on exactly the set that shall train, by the active checks that exist."""

from __future__ import annotations

from collections.abc import Sequence

from health.diagnostics import services as active
from health.diagnostics.models import ActiveRun
from health.diagnostics.services.rounds import WHOLE
from runs.fit.queries import LAUNCH_CHECK

NAMED = 3


class NotThisSet(Exception):
    """Not all of the set may be loaded now; the message names the first with the reason."""


def start(site_id: int, machine_ids: Sequence[int], *, by: str, reason: str = "", way: str = "") -> ActiveRun:
    """Ask for an all-reduce over these machines and no others, all at once first; where that does not pass, the search
    of active checks names who. `way`: the site's name for how it launches, empty for its first. The guards are those of
    any active check.

    Raises NotThisSet where one of them may not be used: a check of the rest would say nothing of the set. Raises
    WayRefused, and `ActiveRefused` as `health.diagnostics.services.create` does.
    """
    chosen, options = active.way_of_site(site_id, way), {WHOLE: True}
    seen = active.preview(LAUNCH_CHECK, machine_ids, options=options, way=chosen)
    if seen.left_out:
        first = "; ".join(f"{each.name}: {each.reason}" for each in seen.left_out[:NAMED])
        more = f"; {len(seen.left_out) - NAMED} more" if len(seen.left_out) > NAMED else ""
        raise NotThisSet(f"Not all machines of the set may be loaded. {first}{more}.")
    said = reason or "launch check"
    return active.create(site_id, LAUNCH_CHECK, machine_ids, by=by, reason=said, options=options, way=chosen)
