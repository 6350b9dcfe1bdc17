"""For every test: in CI a skip is a failure, and a test that commits leaves the database as the migrations do.

Two costs that tests pay thousands of times and a service once are taken off here: hashing a password so that it cannot
be guessed, and looking for the dashboard's files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connection
from django.test import TransactionTestCase
from whitenoise.middleware import WhiteNoiseMiddleware

from core.audit.actor import Actor, act_for_process
from tests import database, effort

TESTS = Actor("tests", "command", "pytest")
act_for_process(TESTS)  # nobody may write without a name
effort.register()
PBKDF2PasswordHasher.iterations = 1  # any real service still reads it: the number stands in the hash
IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")
if apps.ready and (IN_CI or os.environ.get("RACKSIDE_CHECK_ANSWERS") == "1"):  # else narrow runs wait for the document
    from tests import answers

    answers.check_every_answer()


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


@pytest.fixture(autouse=True)
def sweeps_keep_nothing_for_the_next_test() -> Generator[None, None, None]:
    yield
    lines = sys.modules.get("health.monitoring.services.sweeps.lines")
    if lines is not None:
        lines.close_all()
    observation = sys.modules.get("health.monitoring.services.sweeps.observation")
    memories = getattr(observation, "MEMORIES", None)  # a test may have put its own module there
    if memories is not None:
        memories.forget()


@pytest.fixture(scope="session")
def django_db_createdb(
    request: pytest.FixtureRequest,
    django_db_createdb: bool,
    django_db_modify_db_settings_parallel_suffix: None,
    django_db_blocker: Any,
) -> bool:
    """Copy the migrated template; with `--reuse-db` only when the copy is not of this template."""
    with django_db_blocker.unblock():
        template = database.template_name()
        database.ensure_template(template)
        connection.settings_dict["TEST"]["TEMPLATE"] = template
        return django_db_createdb or not database.is_copy_of(template)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """A database that an earlier run kept (`--reuse-db`) is put right, its last test may have been killed."""
    with django_db_blocker.unblock():
        database.settle()
        database.restore()


def restore_instead_of_flush(test: TransactionTestCase) -> None:
    """After a test that commits. Django's flush truncates every table, and takes the rows that a migration wrote."""
    database.restore()


TransactionTestCase._fixture_teardown = restore_instead_of_flush  # type: ignore[attr-defined]  # of no type stubs
# Django closes the connection after each of them. A new one has to learn the catalogue of all tables first.
TransactionTestCase._should_reload_connections = lambda _: False  # type: ignore[attr-defined]  # the same


look_for_files = WhiteNoiseMiddleware.add_files_from_finders
found: dict[tuple[str, ...], dict[str, Any]] = {}


def look_once(middleware: WhiteNoiseMiddleware) -> None:
    """For each new test client the middleware is made anew, and would read every file of the dashboard again."""
    folders = tuple(map(str, settings.STATICFILES_DIRS))
    if folders not in found:
        look_for_files(middleware)
        found[folders] = dict(middleware.files)
    middleware.files.update(found[folders])


WhiteNoiseMiddleware.add_files_from_finders = look_once
