"""What the installer of a machine reports while it works, and the log that it sends when it gives up."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from provisioning.engines.contract import Broken
from provisioning.failures import installer
from provisioning.models import BootToken, FailureEvidence
from provisioning.services.evidence import keep
from provisioning.services.network_boot import BootRefused, find_token, problem_of
from provisioning.services.progress import Progress, changing
from provisioning.steps import Failed, FailureClass, Heard, Status, StepName

GAVE_UP = "gave_up"
LOG_WITHIN = timedelta(seconds=15)
"""An installer that gives up says so, and sends its log right afterwards: the log tells a dead network from a package
that there is not."""
LOG_LATER = timedelta(minutes=10)
"""A log that comes after the attempt was ended without it is kept all the same, with the token that died of it."""


def report(token: str, body: Mapping[str, Any], *, address: str | None = None) -> None:
    """One event of the installer. Raises BootRefused.

    What is no event, or no news, is passed over before anything is locked: an installation has hundreds of events, and
    hundreds of machines install at once.
    """
    said = installer.report_of(body)
    if said is None or not said.is_news:
        return
    found = find_token(token, address)
    with changing(found.run_machine_id, lock_run=False) as progress:
        problem = why_not_installing(progress, found)
        if not problem:
            _started(progress, address)
            _note(progress, said)
    if problem:
        raise BootRefused(problem, address=address, run_machine=found.run_machine_id)


def why_not_installing(progress: Progress, token: BootToken) -> str:
    """Why this token may not report; empty when it may. With a boot medium the installer is first heard of so."""
    waits = progress.row.step in (StepName.POWER_ON, StepName.INSTALL_DATA) and token.user_data_at is not None
    return problem_of(progress, token, StepName(progress.row.step) if waits else StepName.PHONE_HOME)


def _started(progress: Progress, address: str | None) -> None:
    if progress.row.step != StepName.PHONE_HOME:
        progress.apply(Heard(StepName.INSTALL_DATA), f"the installer works, and reports from {address}")


def _note(progress: Progress, said: installer.Report) -> None:
    step = progress.touch(progress.current)
    progress.log(f"Installer: {said.description}{' failed' if said.failed else ''}")
    if said.failed:
        step.data = {"failed": [*_failed(step.data), [said.name, said.description]][: installer.MOST_FAILURES]}
    else:
        step.detail = said.description
    if said.ends_all:
        step.data, step.detail = {**step.data, GAVE_UP: True}, "the installer gave up; its log is waited for"
        progress.row.next_at = progress.now + LOG_WITHIN


def _failed(data: Mapping[str, Any]) -> list[list[str]]:
    return list(data.get("failed") or [])


def reported_failure(data: Mapping[str, Any]) -> FailureClass | None:
    """The kind of failure that the installer reported, from what its step remembers; None when it reported none."""
    failed = _failed(data)
    return installer.class_of(name for name, _ in failed) if failed else None


def gave_up(data: Mapping[str, Any]) -> Broken | None:
    """What it is when an installer gave up and its log did not come; None while it works."""
    return _broken(data) if data.get(GAVE_UP) else None


def _broken(data: Mapping[str, Any], log: str = "") -> Broken:
    failed = _failed(data)
    first = failed[0][1] if failed else ""
    said = ": ".join(part for part in (first, installer.last_words(log)) if part)
    failure = installer.class_of((name for name, _ in failed), log)
    return Broken(failure, f"the installer gave up: {said or 'it does not tell at what'}")


def keep_log(token: str, text: str, *, address: str | None = None) -> None:
    """The ends of the installer's logs, which it sends when it has failed. Raises BootRefused."""
    found = find_token(token, address)
    with changing(found.run_machine_id) as progress:
        found.refresh_from_db()
        row, shown = progress.row, installer.hidden(text)
        problem = why_not_installing(progress, found)
        just_failed = (
            row.status == Status.FAILED
            and row.step == StepName.PHONE_HOME
            and row.finished_at is not None
            and progress.now - row.finished_at < LOG_LATER
            and found.pk == row.boot_tokens.order_by("-pk").values_list("pk", flat=True).first()
        )
        if not problem:
            _started(progress, address)
            ended = _broken(progress.current.data, shown)
            progress.apply(Failed(StepName.PHONE_HOME, ended.failure), ended.detail)
        if not problem or just_failed:
            keep(progress, FailureEvidence.Kind.INSTALLER, shown)
            if just_failed:  # its ticket is there already
                progress.tell("run.machine_evidence")
            progress.log(f"The installer sent its log: {installer.last_words(shown)}", StepName.PHONE_HOME)
    if problem and not just_failed:
        raise BootRefused(problem, address=address, run_machine=found.run_machine_id)
