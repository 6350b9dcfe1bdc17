"""A served NetBox with the small site, and the import as the command does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from inventory.kinds import Scope
from inventory.models import NetBoxRun
from inventory.netbox.findings import Finding
from inventory.netbox.options import Options
from inventory.netbox.run import execute, start
from inventory.netbox.source import Address
from inventory.netbox.tests.fake_netbox import OLD_TOKEN, FakeNetBox
from inventory.netbox.tests.small_site import SmallSite, small_site

Import = Callable[..., tuple[NetBoxRun, list[Finding]]]


@pytest.fixture
def netbox() -> Iterator[FakeNetBox]:
    with FakeNetBox() as server:
        yield server


@pytest.fixture
def site(netbox: FakeNetBox) -> SmallSite:
    return small_site(netbox)


@pytest.fixture
def do_import(db: Any, netbox: FakeNetBox) -> Import:
    """`do_import(dry_run=True, sites=("north_1",))`; `run` continues one that broke off."""
    return importer(netbox)


def importer(netbox: FakeNetBox) -> Import:
    def do_import(
        *, dry_run: bool = False, run: NetBoxRun | None = None, token: str = OLD_TOKEN, page_size: int = 500,
        timeout_s: float = 5, retries: int = 2, **options: Any,
    ) -> tuple[NetBoxRun, list[Finding]]:  # fmt: skip
        run = run or start(netbox.url, Options.read(options), dry_run=dry_run, by="tester")
        address = Address(netbox.url, token, page_size=page_size, timeout_s=timeout_s, retries=retries)
        return run, execute(run, address, Scope.everything(), actor="tester")

    return do_import
