import { expect, test } from "vitest";
import type { MachineRow } from "../api/shapes.ts";
import type { Rack } from "../map/model.ts";
import { describeRack } from "../map/words.ts";
import { affectedRows, barParts, powerLayer, tripsByBreaker } from "./powerLayer.ts";
import type { FeedFailure } from "./shapes.ts";

const device = (id: number, rack: number) => ({ id, name: `m${id}`, kind: "machine" as const, rack, rack_name: `A${rack}` });
const failure: FeedFailure = {
  feed: { id: 1, name: "a17-a" }, together: "side", dead: [{ id: 1, name: "a17-a" }],
  lost: [device(1, 10)], degraded: [device(2, 10), device(4, 2)], unknown: [device(3, 2)],
  trips: [
    { rack: 2, rack_name: "A2", feed: { id: 2, name: "a2-b" }, pdu: { id: 5, name: "pdu-b" }, carries_w: 12_000, derated_w: 9_200 },
    { rack: 3, rack_name: "A3", feed: { id: 2, name: "a2-b" }, pdu: { id: 5, name: "pdu-b" }, carries_w: 12_000, derated_w: 9_200 },
  ],
  racks: [],
};
const machine = (id: number): MachineRow => ({ id, name: `m${id}`, rack: 1, u: 1, height_u: 6, cell: "failed", state: "ready", worst: "ok", reachability: "reachable", since: "", ticket: null, faults: 0 });
const rack = (id: number, machines: MachineRow[]) => ({ id, name: `A${id}`, rowName: "A", role: "compute", machines }) as unknown as Rack;

test("on the power layer a machine's own state does not show, what the feed does to it does", () => {
  const layer = powerLayer(failure);
  expect([1, 2, 3, 9].map((id) => layer.cellOf(machine(id)))).toEqual(["failed", "suspect", "no_signal", "available"]);
  expect(layer.note(machine(2), 0)).toBe("lose redundancy");
  expect(describeRack(rack(10, [machine(1), machine(2)]), layer)).toBe("Rack A10, row A: 2 machines: 1 lose power, 1 lose redundancy.");
});

test("a rack whose breaker trips is marked as that, others with how many machines they lose", () => {
  const layer = powerLayer(failure);
  expect(layer.badge(rack(2, [machine(3)]))).toBe("!");
  expect(layer.badge(rack(10, [machine(1), machine(2)]))).toBe("1");
  expect(layer.badge(rack(11, [machine(9)]))).toBe("");
});

test("the table says the worst first, and racks in the order people count", () => {
  expect(affectedRows(failure).map((row) => [row.state, row.rackName])).toEqual([["lost", "A10"], ["unknown", "A2"], ["degraded", "A2"], ["degraded", "A10"]]);
});

test("a breaker is told once with all its racks", () => {
  expect(tripsByBreaker(failure)).toEqual([
    { key: "pdu5", name: "PDU pdu-b", carries: 12_000, may: 9_200, racks: [{ id: 2, name: "A2" }, { id: 3, name: "A3" }] },
  ]);
});

test("a bar ends at its largest value; what is not known has no mark", () => {
  expect(barParts({ planned: 50, measured: null, derated: 80, capacity: 100, carries: 200 })).toEqual({
    planned: 25, measured: null, derated: 40, capacity: 50, carries: 100,
  });
  expect(barParts({ planned: null, measured: null, derated: null, capacity: null }).derated).toBeNull();
});
