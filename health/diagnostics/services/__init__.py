"""Active checks as they are run: `runs` makes and ends them, `progress` takes them on, step by step.

Only machines that run nothing are loaded (`candidates`), each by one run at a time. What is started stands in the
database before it is sent, and a start that is sent twice begins nothing (`health.diagnostics.jobs`), so a worker may
die anywhere.
"""

from health.diagnostics.services.launch_ways import at_site as ways_at_site
from health.diagnostics.services.launch_ways import of_site as way_of_site
from health.diagnostics.services.progress import advance
from health.diagnostics.services.runs import ActiveRefused, Preview, cancel, create, preview, prune
from health.diagnostics.services.windows import remove_window, save_window, start_due

__all__ = [
    "ActiveRefused",
    "Preview",
    "advance",
    "cancel",
    "create",
    "preview",
    "prune",
    "remove_window",
    "save_window",
    "start_due",
    "way_of_site",
    "ways_at_site",
]
