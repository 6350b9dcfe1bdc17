"""The part of power and cooling in the hall's control interface: what is measured, faults, where meters answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aiohttp import web

from simulator.heat import answers
from simulator.heat.faults import CATALOGUE, HeatError, HeatFault

MOST_S = 86_400.0

if TYPE_CHECKING:
    from simulator.heat.of_hall import Heat


def add_routes(app: web.Application, heat: Heat) -> None:
    """`GET /heat`, `/heat/meters`, `/heat/racks/{name}`, `/heat/pdus/{name}`, `/heat/cooling/{name}`;
    `GET`, `POST` and `DELETE /heat/faults`; `POST /heat/go_on`."""
    control = HeatControl(heat)
    app.router.add_get("/heat", control.overview)
    app.router.add_get("/heat/meters", control.meters)
    app.router.add_get("/heat/racks/{name}", control.rack)
    app.router.add_get("/heat/pdus/{name}", control.pdu)
    app.router.add_get("/heat/cooling/{name}", control.cooling)
    app.router.add_get("/heat/faults", control.catalogue)
    app.router.add_post("/heat/faults", control.inject)
    app.router.add_delete("/heat/faults", control.clear)
    app.router.add_post("/heat/go_on", control.go_on)


def catalogue() -> list[dict[str, Any]]:
    """As the hall's list of faults has them; `about` is what the target is the name of."""
    return [
        {"fault": kind.name, "title": kind.title, "slot": "", "about": kind.about, "params": kind.params,
         "until": [], "shows": kind.shows}
        for kind in CATALOGUE.values()
    ]  # fmt: skip


class HeatControl:
    def __init__(self, heat: Heat) -> None:
        self._heat, self._room = heat, heat.room

    async def overview(self, request: web.Request) -> web.Response:
        self._heat.tick()
        room, now = self._room, self._room.now
        return web.json_response({
            "site": answers.site(room, now)._asdict(),
            "faults": [_fault(fault) for fault in room.faults],
            "racks": {
                name: {"watts": round(rack.watts), "air_c": round(rack.air_c, 1),
                       "hottest_inlet_c": round(max((b.inlet_c for b in rack.bodies), default=rack.air_c), 1),
                       "hottest_gpu_c": round(max((b.gpu_c for b in rack.bodies if b.plan.gpus), default=0.0), 1)}
                for name, rack in room.racks.items()
            },
        })  # fmt: skip

    async def meters(self, request: web.Request) -> web.Response:
        return web.json_response({"meters": self._heat.meters.to_json()})

    async def rack(self, request: web.Request) -> web.Response:
        self._heat.tick()
        rack = self._room.racks[request.match_info["name"]]
        return web.json_response({
            "rack": rack.plan.name, "watts": round(rack.watts), "air_c": round(rack.air_c, 2),
            "devices": {
                body.plan.name: {
                    "watts": round(body.now.total_w), "inlet_c": round(body.inlet_c, 2),
                    "exhaust_c": round(body.exhaust_c, 2), "gpu_c": round(body.gpu_c, 2) if body.plan.gpus else None,
                    "fan_percent": round(100 * body.now.fan_share), "from_behind": round(body.share, 3),
                    "braked": body.now.braked, "dark": body.dark,
                    "cords": {supply: f"{at.pdu.plan.name} {at.pdu.plan.outlets[at.number]}"
                              for supply, at in body.cords.items()},
                }
                for body in rack.bodies
            },
        })  # fmt: skip

    async def pdu(self, request: web.Request) -> web.Response:
        """With the number of each outlet, by which its agent calls it."""
        name = request.match_info["name"]
        told = answers.pdu(self._room, name, self._heat.clock())
        return web.json_response({
            "pdu": name, "vendor": self._room.pdus[name].plan.vendor, "watts": round(told.watts, 1),
            "outlets": [
                {"number": number, **each._asdict()} for number, each in enumerate(told.outlets, start=1)
            ],
        })  # fmt: skip

    async def cooling(self, request: web.Request) -> web.Response:
        told = answers.unit(self._room, request.match_info["name"], self._heat.clock())
        return web.json_response({
            **told._asdict(), "primary": told.primary._asdict(), "secondary": told.secondary._asdict(),
            "manifolds": [each._asdict() for each in told.manifolds],
        })  # fmt: skip

    async def catalogue(self, request: web.Request) -> web.Response:
        return web.json_response({"faults": catalogue()})

    async def inject(self, request: web.Request) -> web.Response:
        """`{"fault": "gap_open", "target": "A05", "params": {"from_u": 29, "to_u": 32}}`."""
        body = json.loads(await request.text() or "{}")
        if not isinstance(body, dict) or not isinstance(body.get("params", {}), dict):
            raise HeatError("the body is a JSON object with fault, target and params")
        name, target = str(body.get("fault", "")), str(body.get("target", ""))
        return web.json_response(_fault(self._heat.inject(name, target, body.get("params", {}))), status=201)

    async def clear(self, request: web.Request) -> web.Response:
        """By `fault`, `target`, and parameters as `params={...}`; each of them may be left out."""
        params = json.loads(request.query.get("params", "{}"))
        if not isinstance(params, dict):
            raise HeatError("params is a JSON object")
        name, target = request.query.get("fault", ""), request.query.get("target", "")
        gone = self._heat.clear(name=name, target=target, params=params)
        return web.json_response({"cleared": [_fault(fault) for fault in gone]})

    async def go_on(self, request: web.Request) -> web.Response:
        """`{"seconds": 600}`: air, water and GPUs are where they would be then."""
        body = json.loads(await request.text() or "{}")
        seconds = body.get("seconds") if isinstance(body, dict) else None
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= MOST_S:
            raise HeatError(f"seconds is a number above 0 and up to {MOST_S:.0f}")
        self._heat.go_on(seconds)
        return await self.overview(request)


def _fault(fault: HeatFault) -> dict[str, Any]:
    return {"fault": fault.name, "target": fault.target, "slot": fault.target, "params": fault.params,
            "since": fault.since}  # fmt: skip
