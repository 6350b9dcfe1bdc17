"""The Redfish client against a TLS server: certificates, power, boot, light, log and what the checks read."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from aiohttp import web

from drivers.redfish import (
    CertificateChanged,
    RedfishAuthError,
    RedfishClient,
    RedfishError,
    RedfishStatus,
    RedfishUnreachable,
)
from drivers.tests.bmc import CHASSIS, FakeBmc, self_signed, serving

pytestmark = pytest.mark.asyncio


def client(port: int, pinned: bytes | None = None, password: str = "secret", timeout_s: float = 3) -> RedfishClient:
    return RedfishClient(f"https://127.0.0.1:{port}", "root", password, pinned=pinned, timeout_s=timeout_s, poll_s=0.02)


async def test_first_contact_gives_the_fingerprint_and_the_next_contact_holds_it(tmp_path: Path) -> None:
    pem, digest = self_signed(tmp_path)
    async with serving(FakeBmc(), pem) as port:
        async with client(port) as bmc:
            assert (await bmc.system())["SKU"] == "ABC1234"
            assert bmc.fingerprint == digest
        async with client(port, pinned=digest) as bmc:
            assert await bmc.power_state() == "off"


async def test_a_changed_certificate_is_refused_before_the_password_is_sent(tmp_path: Path) -> None:
    _, digest = self_signed(tmp_path)
    other, other_digest = self_signed(tmp_path, "other")
    fake = FakeBmc()
    async with serving(fake, other) as port, client(port, pinned=digest) as bmc:
        with pytest.raises(CertificateChanged) as error:
            await bmc.system()
    assert error.value.presented == other_digest
    assert fake.requests == []


async def test_a_wrong_password_is_told_apart(tmp_path: Path) -> None:
    pem, _ = self_signed(tmp_path)
    async with serving(FakeBmc(), pem) as port, client(port, password="wrong") as bmc:
        with pytest.raises(RedfishAuthError):
            await bmc.system()


async def test_a_bmc_that_takes_no_password_with_a_request_gets_a_session_that_ends_with_the_connection(
    tmp_path: Path,
) -> None:
    pem, _ = self_signed(tmp_path)
    fake = FakeBmc(basic=False)
    async with serving(fake, pem) as port:
        async with client(port) as bmc:
            assert (await bmc.system())["SKU"] == "ABC1234"
            await bmc.set_indicator(True)
            assert fake.sessions == 1, "one log-in for all requests"
        assert fake.sessions == 0
        async with client(port, password="wrong") as bmc:
            with pytest.raises(RedfishAuthError):
                await bmc.system()
    assert sum(path.endswith("/Sessions") for _, path, _ in fake.requests) == 2, "a wrong password is tried once"


async def test_a_bmc_that_is_not_there_or_does_not_answer_is_unreachable(tmp_path: Path) -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    with pytest.raises(RedfishUnreachable):
        async with client(port) as bmc:
            await bmc.system()
    pem, _ = self_signed(tmp_path)
    async with serving(FakeBmc(slow_s=5), pem) as port, client(port, timeout_s=0.3) as bmc:
        with pytest.raises(RedfishUnreachable, match="in time"):
            await bmc.system()


async def test_boot_override_is_set_once_with_the_etag_and_survives_one_stale_etag(tmp_path: Path) -> None:
    pem, _ = self_signed(tmp_path)
    fake = FakeBmc(stale_etags=1)
    async with serving(fake, pem) as port, client(port) as bmc:
        await bmc.set_boot_once("Pxe")
    assert fake.boot == {"BootSourceOverrideTarget": "Pxe", "BootSourceOverrideEnabled": "Once"}


async def test_power_cycle_is_off_wait_on_where_the_bmc_has_none(tmp_path: Path) -> None:
    pem, _ = self_signed(tmp_path)
    fake = FakeBmc(power="On", power_delay_s=0.1)
    async with serving(fake, pem) as port, client(port) as bmc:
        await bmc.power("cycle")
        await bmc.wait_for_power("on", 2)
    assert fake.orders == ["ForceOff", "On"]


async def test_power_cycle_that_is_offered_but_refused_falls_back_too(tmp_path: Path) -> None:
    pem, _ = self_signed(tmp_path)
    fake = FakeBmc(power="On", offered=None)
    refused = fake.reset

    async def without_cycle(word: str) -> object:
        fake.offered = ["On", "ForceOff"]
        answer = await refused(word)
        fake.offered = None
        return answer

    fake.reset = without_cycle  # type: ignore[method-assign,assignment]
    async with serving(fake, pem) as port, client(port) as bmc:
        await bmc.power("cycle")
    assert fake.orders == ["PowerCycle", "ForceOff", "On"]


async def test_a_machine_that_stays_on_is_an_error_not_an_endless_wait(tmp_path: Path) -> None:
    pem, _ = self_signed(tmp_path)
    async with serving(FakeBmc(power="On", power_delay_s=60), pem) as port, client(port) as bmc:
        with pytest.raises(RedfishError, match="still on"):
            await bmc.power("cycle", wait_s=0.2)


@pytest.mark.parametrize(
    ("led_property", "on", "off"),
    [("LocationIndicatorActive", True, False), ("IndicatorLED", "Blinking", "Off")],
)
async def test_the_indicator_is_switched_by_the_property_the_bmc_has(
    tmp_path: Path, led_property: str, on: object, off: object
) -> None:
    pem, _ = self_signed(tmp_path)
    fake = FakeBmc(led_property=led_property)
    async with serving(fake, pem) as port, client(port) as bmc:
        await bmc.set_indicator(True)
        assert fake.led == on
        await bmc.set_indicator(False)
        assert fake.led == off


async def test_the_report_has_what_the_bmc_has_and_none_for_what_it_lacks(tmp_path: Path) -> None:
    pem, _ = self_signed(tmp_path)
    async with serving(FakeBmc(), pem) as port, client(port) as bmc:
        report = await bmc.report()
        interfaces = await bmc.ethernet_interfaces()
    assert report.thermal is not None and report.thermal["Temperatures"][0]["ReadingCelsius"] == 23
    assert report.power is None, "this BMC has no Power resource"
    assert report.manager is not None and report.manager["FirmwareVersion"] == "7.10.50.00"
    assert interfaces[0]["LinkStatus"] == "LinkUp"


@pytest.mark.parametrize("expands", [True, False], ids=["expands", "one by one"])
async def test_a_bmc_with_the_newer_trees_alone_tells_fans_supplies_air_and_power(
    expands: bool, tmp_path: Path
) -> None:
    pem, _ = self_signed(tmp_path)
    async with serving(FakeBmc(newer_trees=True, expands=expands), pem) as port, client(port) as bmc:
        report = await bmc.report()
    assert report.thermal is None and report.power is None
    assert report.thermal_subsystem is not None and report.thermal_subsystem["Fans"][0]["Name"] == "Fan 1"
    assert report.power_subsystem is not None
    assert report.power_subsystem["PowerSupplies"][0]["Metrics"]["InputVoltage"] == {"Reading": 0}
    assert report.environment is not None and report.environment["PowerWatts"]["Reading"] == 3100
    assert report.sensors is not None and report.sensors[0]["Reading"] == 24


async def test_a_member_that_is_listed_and_cannot_be_read_is_there_and_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A supply that is left out of the list would be one that is gone."""
    pem, _ = self_signed(tmp_path)
    fake = FakeBmc(newer_trees=True)
    supply = f"{CHASSIS}/PowerSubsystem/PowerSupplies/0"
    some = {path: found for path, found in fake.resources().items() if path != supply}
    monkeypatch.setattr(fake, "resources", lambda: some)
    async with serving(fake, pem) as port, client(port) as bmc:
        report = await bmc.report()
    assert report.power_subsystem is not None
    (row,) = report.power_subsystem["PowerSupplies"]
    assert (row["Id"], row.get("Status")) == ("0", None)


async def test_the_newer_trees_are_not_asked_where_thermal_and_power_tell_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pem, _ = self_signed(tmp_path)
    fake = FakeBmc()
    whole = fake.resources()
    whole[f"{CHASSIS}/Thermal"] |= {"Fans": [{"Name": "Fan 1"}]}
    whole[f"{CHASSIS}/Power"] = {"PowerSupplies": [{"Name": "PS1"}], "PowerControl": [{"PowerConsumedWatts": 1}]}
    whole[CHASSIS] |= {name: {"@odata.id": f"{CHASSIS}/{name}"} for name in ("ThermalSubsystem", "Sensors")}
    monkeypatch.setattr(fake, "resources", lambda: whole)
    async with serving(fake, pem) as port, client(port) as bmc:
        report = await bmc.report()
    assert report.sensors is None
    assert not [path for _, path, _ in fake.requests if "Subsystem" in path or "Sensors" in path]


async def test_an_answer_that_is_not_json_or_an_http_error_is_a_redfish_error(tmp_path: Path) -> None:
    from aiohttp import web

    pem, _ = self_signed(tmp_path)
    fake = FakeBmc()

    async def junk(request: web.Request) -> web.Response:
        return web.Response(body=b"<html>" + bytes(200)) if "Systems" in request.path else web.Response(status=503)

    fake.handle = junk  # type: ignore[method-assign]
    async with serving(fake, pem) as port, client(port) as bmc:
        with pytest.raises(RedfishError, match="not JSON"):
            await bmc.get("/redfish/v1/Systems")
        with pytest.raises(RedfishStatus, match="503"):
            await bmc.get("/redfish/v1/")


@pytest.mark.parametrize("members", [5, {"a": 1}, [7], [{"@odata.id": 3}], "x"], ids=str)
async def test_a_collection_of_nonsense_is_an_error_of_the_bmc(
    members: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeBmc()
    resources = {**fake.resources(), "/redfish/v1/Systems": {"Members": members}}
    monkeypatch.setattr(fake, "resources", lambda: resources)
    async with serving(fake, self_signed(tmp_path)[0]) as port, client(port) as bmc:
        with pytest.raises(RedfishError, match="no member in Systems"):
            await bmc.system()


async def test_an_answer_nested_without_end_is_an_error_of_the_bmc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeBmc()

    async def deep(request: web.Request) -> web.Response:
        return web.Response(body=b"[" * 200_000, content_type="application/json")

    monkeypatch.setattr(fake, "handle", deep)
    async with serving(fake, self_signed(tmp_path)[0]) as port, client(port) as bmc:
        with pytest.raises(RedfishError, match="not JSON"):
            await bmc.system()
