import { expect, test } from "vitest";
import { deviceHref } from "./href.ts";
import { endsOf, pathOf, wholePath } from "./path.ts";
import type { CableRecord, Hop, TracePort, TraceWay } from "./shapes.ts";

function port(id: number, device: [number, string, TracePort["device"]["kind"]], rack: number | null = 7): TracePort {
  return {
    id, name: `p${id}`, port: { id, name: `p${id}`, kind: "infiniband", speed_gbps: 400, cage: null, lane: null, face: "rear" },
    device: { id: device[0], name: device[1], kind: device[2] },
    place: { site: "S", room: "Hall", row: "A", rack: rack ? "A07" : "", rack_id: rack, u: rack ? 9 : null, height_u: rack ? 1 : null, face: "rear", text: "there" },
  };
}
const hop = (p: TracePort): Hop => ({ kind: "port", ...p });
const cable = (id: number, status: CableRecord["status"] = "connected"): Hop => ({ kind: "cable", id, name: `C-${id}`, cable: { id, label: `C-${id}`, type: "MPO", length_m: 5, colour: "aqua", status, strand: 1 } });
const panel = (p: TracePort, position: number): Hop => ({ kind: "panel", id: p.device.id, name: p.device.name, position, device: p.device, place: p.place });
const way = (hops: Hop[], more: Partial<TraceWay> = {}): TraceWay => ({ complete: true, why: null, planned: false, length_m: null, ends: [], hops, branches: [], ...more });

const machine: [number, string, "machine"] = [1, "hgx-1", "machine"];
const leaf: [number, string, "switch"] = [2, "leaf-1", "switch"];
const patch: [number, string, "panel"] = [3, "panel-1", "panel"];

test("a cable between two devices is two stations and a line", () => {
  const path = pathOf(way([hop(port(1, machine)), cable(5), hop(port(2, leaf))]));
  expect(path.steps.map((step) => (step.kind === "station" ? step.device.name : step.label))).toEqual(["hgx-1", "C-5", "leaf-1"]);
});

test("a panel that is passed is one station with both its ports and the position", () => {
  const [front, rear] = [port(10, patch), port(11, patch)];
  const path = pathOf(way([hop(port(1, machine)), cable(5), hop(front), panel(front, 4), hop(rear), cable(6), hop(port(2, leaf))]));
  expect(path.steps).toHaveLength(5);
  expect(path.steps[2]).toMatchObject({ device: { name: "panel-1" }, position: 4, ports: [{ id: 10 }, { id: 11 }] });
});

test("a breakout goes on in branches, a lost way says where", () => {
  const lost = way([hop(port(4, leaf))], { complete: false, why: { code: "no_cable", text: "leaf-1 p4 has no cable.", port: 4 } });
  const path = pathOf(way([hop(port(1, machine)), cable(5)], { branches: [way([hop(port(2, leaf))]), lost] }));
  expect(path.branches.map((branch) => branch.why)).toEqual(["", "leaf-1 p4 has no cable."]);
});

test("from inside a panel the path is drawn from one end to the other", () => {
  const [front, rear] = [port(10, patch), port(11, patch)];
  const out = way([hop(front), cable(5), hop(port(1, machine))]);
  const back = way([hop(front), panel(front, 4), hop(rear), cable(6), hop(port(2, leaf))]);
  const path = wholePath({ ...out, back });
  expect(path.steps.map((step) => (step.kind === "station" ? `${step.device.name} ${step.ports.map((p) => p.id).join("-")}` : step.label))).toEqual([
    "leaf-1 2", "C-6", "panel-1 11-10", "C-5", "hgx-1 1",
  ]);
});

test("a machine leads to its page, a switch to its rack, what is not mounted nowhere", () => {
  const station = (p: TracePort) => ({ device: p.device, place: p.place });
  expect(deviceHref(station(port(1, machine)).device)).toBe("/machines/1");
  expect(deviceHref(station(port(2, leaf)).device)).toBe("/devices/2");
  expect(endsOf({ port: port(1, machine), ends: [port(2, leaf, null), port(3, leaf, 9)] }).map((end) => end.rack)).toEqual([7, 9]);
});
