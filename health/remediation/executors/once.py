"""A mark on the machine by which a remedy begins at most once, whoever else believes that it may begin.

The mark is a folder that is made right before the remedy; making a folder succeeds for one alone. Whoever looks for a
remedy whose worker was lost tries to make it, too: success proves that the remedy never began, and keeps it from ever
beginning. The folder lies in memory, so a start of the machine takes it away: the boot id tells of that.
"""

from __future__ import annotations

from health.machines.calls import Report
from health.machines.remote import report_of, run
from health.remediation.executors import Answer, Job, not_sent

BOOT_ID = "/proc/sys/kernel/random/boot_id"


def _mark(job: Job) -> str:
    """Raises ValueError for a key that is none."""
    parts = job.key.split(":")
    if not all(part.isascii() and part.isdecimal() for part in parts):
        raise ValueError(f"{job.key!r} is no key of an action")
    return f"/run/rackside-{'-'.join(parts)}"


def run_once(job: Job, command: str, *, well: Report) -> Answer:
    """Run a command as root if nobody made the mark before; the end of one that succeeds is marked as well.

    The last question is asked twice: before the mark, which is a write itself, and behind it, so that nothing but the
    answer lies between it and the command. A mark that stays behind a no harms nobody: its key is never used again.
    """
    mark = _mark(job)
    if refusal := job.refusal():
        return not_sent(refusal)
    made = run(job.machine_id, f"mkdir {mark}", as_root=True, timeout_s=15)
    report, text = report_of(made, well=Report.DONE)
    if report is not Report.DONE:
        # Of a mark that is there already whoever made it knows more than this worker, which does not go on.
        proven = report is not Report.NONE and "exists" not in text
        return Answer(Report.REFUSED if proven else Report.NONE, f"not begun by this worker: {text}")
    if refusal := job.refusal():
        return not_sent(refusal)
    report, text = report_of(run(job.machine_id, f"{command} && mkdir {mark}/done", as_root=True), well=well)
    return Answer(report, text)


def marked(job: Job) -> Report:
    """`done` when it ended well, `refused` when it never began and cannot any more; none when that cannot be told.

    Making the mark is a write: where `job.refusal` says no, only what is there is read.
    """
    mark = _mark(job)
    make = "" if job.refusal() else f" && mkdir {mark} && echo never"
    look = f"cat {BOOT_ID}{make} ; test -d {mark}/done && echo done"
    asked = run(job.machine_id, look, as_root=True, timeout_s=15)
    if asked is None or asked.failure is not None or not job.boot_id:
        return Report.NONE
    boot_id, *words = asked.stdout.decode(errors="replace").split() or [""]
    if boot_id != job.boot_id or len(words) != 1:
        return Report.NONE
    return {"never": Report.REFUSED, "done": Report.DONE}.get(words[0], Report.NONE)
