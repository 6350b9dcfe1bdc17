"""The reader of BMC logs against a log of the shape an HPE iLO 5 gives, served by a server nobody here wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from drivers.redfish import RedfishClient, RedfishError
from drivers.redfish_logs import LogRead, read_logs
from drivers.tests import ilo_log
from drivers.tests.ilo_log import ENTRIES_PATH as ENTRIES
from drivers.tests.ports import free_ports
from drivers.tests.test_sushy import STATIC, Serve, serve, tree

__all__ = ["serve"]
pytestmark = pytest.mark.asyncio
SYSTEM = {"@odata.id": "/redfish/v1/Systems/1", "LogServices": {"@odata.id": "/redfish/v1/Systems/1/LogServices"}}


class Ilo:
    """The tree of such a BMC, and one read of its logs."""

    def __init__(self, serve: Serve, folder: Path) -> None:
        self.folder = folder
        named = [{"@odata.id": ilo_log.SERVICE_PATH}]
        services = {"@odata.id": f"{SYSTEM['@odata.id']}/LogServices", "Members": named}
        self.put(SYSTEM, services, ilo_log.SERVICE, ilo_log.collection(ilo_log.entries()))
        (self.port,) = free_ports(1)
        serve(STATIC, ["-i", "127.0.0.1", "-p", str(self.port), "-m", str(folder)], self.port)

    def put(self, *documents: dict[str, Any]) -> None:
        tree(self.folder, *documents)

    async def read(self, cursors: dict[str, str]) -> LogRead:
        async with RedfishClient(f"http://127.0.0.1:{self.port}", "root", "secret") as bmc:
            (log,) = await read_logs(bmc, None, SYSTEM, cursors)
        return log


@pytest.fixture
def ilo(serve: Serve, tmp_path: Path) -> Ilo:
    return Ilo(serve, tmp_path)


async def test_the_log_is_found_and_read_whole_oldest_first(ilo: Ilo) -> None:
    log = await ilo.read({})
    assert (log.path, log.newest, log.first, log.cut) == (ENTRIES, "6", True, False)
    assert [row["Id"] for row in log.rows] == ["1", "2", "3", "4", "5", "6"]


async def test_the_next_read_brings_only_what_came_after_the_cursor(ilo: Ilo) -> None:
    assert (await ilo.read({ENTRIES: "6"})).rows == ()
    ilo.put(ilo_log.collection([*ilo_log.entries(), ilo_log.later()]))
    log = await ilo.read({ENTRIES: "6"})
    assert [(row["Id"], row["Message"]) for row in log.rows] == [("114", "The inlet was too warm: 43 degrees")]
    assert log.newest == "114"


async def test_a_cursor_that_a_cleared_log_no_longer_has_brings_all_of_it(ilo: Ilo) -> None:
    ilo.put(ilo_log.collection(ilo_log.entries()[:2]))
    assert [row["Id"] for row in (await ilo.read({ENTRIES: "5"})).rows] == ["1", "2"]


@pytest.mark.parametrize("link", [f"{ENTRIES}/second", "Entries/second"])
async def test_the_same_log_in_pages_is_read_to_its_end(ilo: Ilo, link: str) -> None:
    rows = ilo_log.entries()
    ilo.put(ilo_log.collection(rows[:4]) | {"Members@odata.nextLink": link})
    ilo.put({"@odata.id": f"{ENTRIES}/second", "Members": rows[4:]})
    log = await ilo.read({ENTRIES: "3"})
    assert [row["Id"] for row in log.rows] == ["4", "5", "6"]
    assert not log.cut


async def test_a_log_whose_entries_are_links_is_refused_and_not_read_as_empty(ilo: Ilo) -> None:
    ilo.put(ilo_log.collection([{"@odata.id": row["@odata.id"]} for row in ilo_log.entries()]))
    with pytest.raises(RedfishError, match="links only"):
        await ilo.read({})
