"""UFM over real HTTPS: the virtual hall's, and a few answers only a bad one gives."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web

from drivers.https import ApplianceError, CertificateChanged, NotJson, SignInRefused, Unreachable
from drivers.ufm import ActionFailed, Door, IncompleteList, SignIn, UfmClient
from simulator.fabric.hall import Fabric
from simulator.fabric.plan import FabricPlan
from simulator.fabric.tests.conftest import ACCESS, NOW
from simulator.fabric.tests.samples import sample_fabric

pytestmark = pytest.mark.asyncio

SIGN_INS = {
    Door.BASIC: SignIn.basic(ACCESS.username, ACCESS.password),
    Door.SESSION: SignIn.session(ACCESS.username, ACCESS.password),
    Door.TOKEN: SignIn.token(ACCESS.token),
}


@pytest.fixture
def plan() -> FabricPlan:
    return sample_fabric(8)


@pytest_asyncio.fixture
async def fabric(plan: FabricPlan, tmp_path: Path) -> AsyncIterator[Fabric]:
    running = Fabric(plan, tmp_path, seed="seed", clock=lambda: NOW, access=ACCESS)
    await running.start()
    yield running
    await running.stop()


def client(fabric: Fabric, door: Door = Door.BASIC, **options: object) -> UfmClient:
    return UfmClient(fabric.ufm_url, SIGN_INS[door], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("door", list(Door))
async def test_each_form_of_signing_in_reads_the_same(fabric: Fabric, door: Door) -> None:
    async with client(fabric, door) as ufm:
        capture = await ufm.capture()
    assert len(capture["links"]) == len(fabric.wiring.cables)
    assert {len(capture["systems"]), len(capture["ports"])} == {14, 8 * 2 + 6 * 8}


@pytest.mark.parametrize(
    "sign_in", [SignIn.basic("admin", "wrong"), SignIn.session("admin", "wrong"), SignIn.token("wrong")]
)
async def test_a_wrong_password_or_token_is_said_to_be_one(fabric: Fabric, sign_in: SignIn) -> None:
    with pytest.raises(SignInRefused):
        async with UfmClient(fabric.ufm_url, sign_in) as ufm:
            await ufm.systems()


async def test_a_session_that_ended_is_opened_again(fabric: Fabric) -> None:
    async with client(fabric, Door.SESSION) as ufm:
        fabric.ufm._sessions.clear()
        assert await ufm.systems()


async def test_no_secret_is_shown_in_a_repr() -> None:
    assert "geheim" not in repr(SignIn.basic("admin", "geheim")) + repr(SignIn.token("geheim"))


async def test_the_certificate_is_pinned_at_first_contact_and_another_is_refused(fabric: Fabric) -> None:
    async with client(fabric) as ufm:
        await ufm.systems()
        pin = ufm.fingerprint
    assert pin is not None
    async with client(fabric, pinned=pin) as ufm:
        assert await ufm.systems()
    async with client(fabric, pinned=b"\1" * 32) as ufm:
        with pytest.raises(CertificateChanged):
            await ufm.systems()


async def test_pages_are_put_together_whatever_their_size(fabric: Fabric) -> None:
    async with client(fabric) as ufm:
        whole = await ufm.ports()
    for size in (1, 7, 8, 64):
        async with client(fabric, page_size=size) as ufm:
            assert await ufm.ports() == whole


async def test_what_ufm_does_not_have_is_no_data_and_not_an_empty_list(fabric: Fabric) -> None:
    async with client(fabric) as ufm:
        assert await ufm.get("resources/modules") is None
        assert await ufm.events() == []
        fabric.wiring.set_source("ufm", "empty")
        assert await ufm.capture() == {"systems": None, "ports": None, "links": None, "unhealthy": []}


async def test_isolating_a_port_is_kept_and_taken_back(fabric: Fabric, plan: FabricPlan) -> None:
    port = plan.cables[0].b.name
    async with client(fabric) as ufm:
        await ufm.isolate([port])
        await ufm.isolate([port])
        rows = await ufm.unhealthy_ports()
        assert rows is not None and [row["name"] for row in rows] == [port]
        assert fabric.wiring.port(plan.cables[0].b).isolated
        await ufm.stop_isolating([port])
        assert await ufm.unhealthy_ports() == []
        with pytest.raises(ApplianceError, match="GUID_NUMBER"):
            await ufm.isolate(["leaf-01 port 3"])


async def test_a_name_is_given_by_the_switchs_own_command_line_or_by_the_unconfirmed_action(fabric: Fabric) -> None:
    guid = fabric.wiring.by_name["leaf-01-r1"].guid
    async with client(fabric) as ufm:
        await ufm.wait_for_job(await ufm.set_hostname(guid, "leaf-a"))
        assert fabric.wiring.description(guid) == "leaf-a"
        await ufm.wait_for_job(await ufm.unconfirmed.set_node_description(guid, "leaf-b"))
        await ufm.refresh_discovery()
        systems = await ufm.systems()
        assert systems is not None and "leaf-b" in [row["system_name"] for row in systems]
        with pytest.raises(ApplianceError, match="host name"):
            await ufm.set_hostname(guid, "leaf; reload")


async def test_a_job_that_ends_badly_is_an_error(fabric: Fabric) -> None:
    async with client(fabric) as ufm:
        job = await ufm.unconfirmed.set_node_description("ffffffffffffffff", "leaf")
        with pytest.raises(ActionFailed, match="there is no node"):
            await ufm.wait_for_job(job)
        with pytest.raises(ApplianceError, match="knows no job"):
            await ufm.job("999")


async def test_a_silent_ufm_is_given_up_in_time(fabric: Fabric) -> None:
    fabric.wiring.set_source("ufm", "silent")
    async with client(fabric, timeout_s=0.3, total_s=0.4) as ufm:
        with pytest.raises(Unreachable, match="in time"):
            await ufm.systems()


async def test_a_closed_door_is_unreachable() -> None:
    with pytest.raises(Unreachable):
        async with UfmClient("https://127.0.0.1:1", SIGN_INS[Door.BASIC], timeout_s=2):
            pass
    with pytest.raises(Unreachable, match="not an address"):
        async with UfmClient("ufm.example.org", SIGN_INS[Door.BASIC]):
            pass


# ---- answers that only a bad UFM gives ----

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@pytest_asyncio.fixture
async def answering() -> AsyncIterator[Callable[[Handler], Awaitable[str]]]:
    runners = []

    async def start(handler: Handler) -> str:
        app = web.Application()
        app.router.add_get("/{path:.*}", handler)
        runner = web.AppRunner(app)
        await runner.setup()
        runners.append(runner)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}"

    yield start
    for runner in runners:
        await runner.cleanup()


async def test_a_list_shorter_than_ufm_says_is_incomplete(answering: Callable[[Handler], Awaitable[str]]) -> None:
    async def handler(request: web.Request) -> web.Response:
        rows = [{"n": 1}] if request.query["page_number"] == "1" else []
        return web.json_response({"data": rows, "total_resources": 3})

    async with UfmClient(await answering(handler), SIGN_INS[Door.BASIC], page_size=1) as ufm:
        with pytest.raises(IncompleteList, match="has 3 rows and gave 1"):
            await ufm.links()


async def test_a_ufm_that_knows_no_pages_is_read_once(answering: Callable[[Handler], Awaitable[str]]) -> None:
    asked = []

    async def handler(request: web.Request) -> web.Response:
        asked.append(request.query["page_number"])
        return web.json_response([{"n": n} for n in range(3)])

    async with UfmClient(await answering(handler), SIGN_INS[Door.BASIC], page_size=3) as ufm:
        assert await ufm.links() == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert asked == ["1", "2"]


async def test_an_answer_that_breaks_off_is_not_taken(answering: Callable[[Handler], Awaitable[str]]) -> None:
    async def handler(request: web.Request) -> web.Response:
        return web.Response(text='[{"n": 1}, {"n"')

    async with UfmClient(await answering(handler), SIGN_INS[Door.BASIC]) as ufm:
        with pytest.raises(NotJson):
            await ufm.links()
