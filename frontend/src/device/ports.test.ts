import { expect, test } from "vitest";
import type { MachineCable } from "../api/shapes.ts";
import type { MeasuredLink } from "../fabric/shapes.ts";
import type { DeviceFace, FacePort } from "../inventory/shapes.ts";
import { matches, portRows, portTable, portText, unplaced } from "./ports.ts";

const port = (id: number, over: Partial<FacePort> = {}): FacePort => ({ id, name: `p${id}`, kind: "infiniband", speed_gbps: 400, cage: id, lane: null, face: "", box: { x: 0, y: 0, w: 0.1, h: 0.1 }, inside: [], ...over });
const face = (...ports: FacePort[]): DeviceFace => ({ kind: "switch", model: "NVIDIA QM9700", place: "Rack S01", u_height: 1, cages: [], ports });
const cable = (port_id: number, over: Partial<MachineCable> = {}): MachineCable => ({
  id: 100 + port_id, label: `C-${port_id}`, type: "MPO-12", length_m: 5, colour: "", status: "connected", vendor: "", part_number: "", bundle: "", branches: [],
  near: { port: `p${port_id}`, kind: "infiniband", speed_gbps: 400, cage: port_id, lane: null, port_id, serial: "", optic: null },
  far: { device: "spine-01", device_id: 9, kind: "switch", port: "p7", cage: 7, lane: null, place: "S01 U30", port_id: 77, serial: "", optic: null },
  ...over,
});
const end = (port_id: number | null) => ({ port_id }) as MeasuredLink["a"];
const link = (a: number | null, b: number | null, quality: MeasuredLink["quality"], reason = "") => ({ a: end(a), b: end(b), quality, reason }) as MeasuredLink;

test("a port is as its link was measured, whichever end of it is here; without a measurement only plugged", () => {
  const rows = portRows(face(port(1), port(2), port(3), port(4), port(5)), [cable(1), cable(2), cable(3), cable(5, { status: "planned" })], [link(1, 77, "ok"), link(78, 2, "bad", "340 symbol errors an hour")]);
  expect(rows.map((row) => row.state)).toEqual(["ok", "bad", "plugged", "free", "planned"]);
});

test("an end without a port in the inventory colours nothing", () => {
  expect(portRows(face(port(1)), [], [link(null, null, "bad")])[0]!.state).toBe("free");
});

test("one line says what a port is, what is in it, where that leads and how it is", () => {
  const [bad, free] = portRows(face(port(2, { lane: 2 }), port(3, { kind: "power_outlet", cage: null, speed_gbps: null })), [cable(2, { status: "to_move" })], [link(2, 77, "bad", "340 symbol errors an hour")]);
  expect(portText(bad!)).toBe("p2 · cage 2 lower · 400 Gb/s, C-2 (to be moved) to spine-01 p7, 340 symbol errors an hour");
  expect(portText(free!)).toBe("p3 · Power outlet, free");
  expect(matches(bad!, " SPINE-01 ")).toBe(true);
  expect(matches(free!, "spine")).toBe(false);
});

test("the ports are a table that a spreadsheet takes", () => {
  const rows = portRows(face(port(1), port(2)), [cable(1)], []);
  expect(portTable(rows).split("\n").slice(1).map((line) => line.split("\t").slice(0, 5))).toEqual([["p1", "Plugged", "C-1", "spine-01", "p7"], ["p2", "Free", "", "", ""]]);
});

test("what has no place on the front stands by kind", () => {
  const rows = portRows(face(port(1), port(2, { kind: "rear", box: null }), port(3, { kind: "front", box: null }), port(4, { kind: "rear", box: null })), [], []);
  expect(unplaced(rows).map((group) => [group.kind, group.rows.map((row) => row.port.id)])).toEqual([["front", [3]], ["rear", [2, 4]]]);
});
