"""For every test: in CI a skip is a failure, and a test that commits leaves the database as the migrations do."""

from __future__ import annotations

import os
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest
from pytest_django.plugin import blocking_manager_key

from core.audit.actor import Actor, act_for_process, acting

TESTS = Actor("tests", "command", "pytest")
act_for_process(TESTS)  # nobody may write without a name
IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")


def fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip (of a test, a class or a whole file) into a failure; an expected failure stays what it is."""
    if IN_CI and report.outcome == "skipped" and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"skipped, which is a failure in CI: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, pytest.TestReport]:
    report = yield
    fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, pytest.CollectReport]:
    report = yield
    fail_if_skipped(report)
    return report


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """A database that an earlier run kept (`--reuse-db`) is put right, its last test may have committed."""
    with django_db_blocker.unblock():
        put_back_what_a_flush_leaves_wrong()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    with acting(replace(TESTS, prune=True)):  # a flush empties the audit log as well
        yield
    if nextitem is None:  # the database went with the session
        return
    if any(marker.kwargs.get("transaction") for marker in item.iter_markers("django_db")):
        with item.config.stash[blocking_manager_key].unblock():
            put_back_what_a_flush_leaves_wrong()


def put_back_what_a_flush_leaves_wrong() -> None:
    """Django's flush does not know the partitioned tables, and takes the rows that a migration wrote."""
    from django.db import connection

    from health.lifecycle import TRANSITIONS
    from health.models import LifecycleTransition

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE health_sample, health_transition, fabric_portsample")
    if not LifecycleTransition.objects.exists():
        LifecycleTransition.objects.bulk_create(
            LifecycleTransition(from_state=state, event=event, to_state=following)
            for (state, event), following in TRANSITIONS.items()
        )
