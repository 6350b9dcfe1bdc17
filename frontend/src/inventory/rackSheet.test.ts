import { expect, test } from "vitest";
import type { ElevationItem, ElevationPort } from "../api/shapes.ts";
import { overlaps } from "../map/geometry.ts";
import { fits, freeSpans } from "./free.ts";
import { layoutSheet, nextStop, SHEET, stack, wires } from "./rackSheet.ts";

function item(u: number, heightU: number, more: Partial<ElevationItem> = {}): ElevationItem {
  return {
    id: u, name: `d${u}`, kind: "machine", machine: u, model: "m", u, height_u: heightU, face: "both", column: "full",
    cell: "allocated", worst: "ok", ticket: null, parts: [], children: [], from_top_u: 1, status: "active", reason: "", owner: "", ports: [], ...more,
  };
}
function port(id: number, cable: number | null, face = "rear"): ElevationPort {
  return { id, name: `p${id}`, slot: "", kind: "infiniband", cage: null, lane: null, face, cable: cable === null ? null : { id: cable, label: `C-${cable}`, status: "connected" } };
}

test("free spans are as large as they can be, and say what is behind them", () => {
  const items = [item(1, 6), item(10, 1, { face: "front" }), item(20, 1, { kind: "blanking", face: "front", id: null, machine: null })];
  expect(freeSpans(24, items, "front")).toEqual([
    { u: 7, height_u: 3, column: "full", depth: "both" },
    { u: 11, height_u: 9, column: "full", depth: "both" },
    { u: 21, height_u: 4, column: "full", depth: "both" },
  ]);
  expect(freeSpans(24, items, "rear").map((span) => [span.u, span.height_u, span.depth])).toEqual([
    [7, 3, "both"], [10, 1, "rear"], [11, 9, "both"], [20, 1, "rear"], [21, 4, "both"],
  ]);
});

test("beside a half-width device the other half is free", () => {
  expect(freeSpans(3, [item(2, 1, { column: "left" })], "front").map((s) => [s.u, s.height_u, s.column])).toEqual([
    [1, 1, "full"], [2, 1, "right"], [3, 1, "full"],
  ]);
});

test("a full-depth device does not fit in front of another", () => {
  const spans = freeSpans(10, [item(3, 1, { face: "rear" })], "front");
  expect(fits(spans, 3, 1, true)).toBe(false);
  expect(fits(spans, 3, 1, false)).toBe(true);
  expect(fits(spans, 9, 3, false)).toBe(false);
});

test("in a rack that counts downwards U1 is on top", () => {
  const sheet = layoutSheet(10, [item(1, 2), item(9, 1)], [], "front", "down");
  expect(sheet.units[0]!.u).toBe(1);
  expect(sheet.items[0]!.box.y).toBeLessThan(sheet.items[1]!.box.y);
  expect(sheet.items[1]!.box.y).toBeCloseTo(sheet.units.find((unit) => unit.u === 9)!.y + 0.8);
});

test.each([[1, 64], [1, 4], [6, 19], [2, 48]])("the ports of a %iU device with %i stay inside it and apart", (heightU, count) => {
  const device = item(3, heightU, { ports: Array.from({ length: count }, (_, i) => port(i + 1, null)) });
  const sheet = layoutSheet(42, [device], [device], "rear", "up");
  const box = sheet.items[0]!.box;
  expect(sheet.ports).toHaveLength(count);
  sheet.ports.forEach(({ box: b }, i) => {
    expect(b.x).toBeGreaterThanOrEqual(box.x);
    expect(b.x + b.w).toBeLessThanOrEqual(box.x + box.w + 0.01);
    expect(b.y + b.h).toBeLessThanOrEqual(box.y + box.h + 0.01);
    for (const other of sheet.ports.slice(i + 1)) expect(overlaps(b, other.box)).toBe(false);
  });
});

test("a cable within the rack leads to its far port, any other over the edge", () => {
  const a = item(1, 4, { ports: [port(1, 7), port(2, 8), port(3, null)] });
  const b = item(20, 1, { id: 99, ports: [port(4, 7)] });
  const sheet = layoutSheet(42, [a, b], [a, b], "rear", "up");
  const [inside, outside, ...more] = wires(sheet, new Set([7, 8]), new Set([1, 2, 3]));
  expect(more).toEqual([]);
  expect(inside).toMatchObject({ cable: 7, to: sheet.ports.find((placed) => placed.port.id === 4)!.box });
  expect(outside).toMatchObject({ cable: 8, to: null });
  expect(outside!.path).toContain(`H${SHEET.left + SHEET.inner + 5 + 2.4 + 14}`);
});

test("a power cord leads to the PDU beside the units, from either of its ends", () => {
  const machine = item(1, 4, { ports: [port(1, 7)] });
  const sheet = layoutSheet(42, [machine], [machine], "rear", "up");
  const strip = { box: { x: 3, y: 10, w: 12, h: 700 }, cables: new Set([7]) };
  expect(wires(sheet, new Set([7]), new Set([1]), [strip])).toMatchObject([{ to: strip.box }]);
  expect(wires(sheet, new Set([7]), new Set([500]), [strip])).toHaveLength(1);
});

test("the far end on the other face draws no line back", () => {
  const leaf = item(40, 1, { ports: [port(4, 7)] });
  const sheet = layoutSheet(42, [leaf], [leaf], "rear", "up");
  expect(wires(sheet, new Set([7]), new Set([1]))).toEqual([]);
});

test("labels at the edge do not cover each other and stay in the picture", () => {
  const placed = stack([10, 12, 11, 95], 14, 100);
  const sorted = [...placed].sort((a, b) => a - b);
  sorted.slice(1).forEach((y, i) => expect(y - sorted[i]!).toBeGreaterThanOrEqual(14));
  expect(Math.max(...placed)).toBeLessThanOrEqual(86);
});

test("the arrow keys go to the next thing above, below and beside", () => {
  const stop = (key: string, x: number, y: number) => ({ key, box: { x, y, w: 10, h: 10 } });
  const stops = [stop("top", 0, 0), stop("left", 0, 20), stop("right", 20, 20), stop("low", 0, 60)];
  const [top, left, right] = stops as [typeof stops[0], typeof stops[0], typeof stops[0]];
  expect(nextStop(stops, top, "down")?.key).toBe("left");
  expect(nextStop(stops, left, "right")?.key).toBe("right");
  expect(nextStop(stops, right, "down")?.key).toBe("low");
  expect(nextStop(stops, top, "up")).toBeNull();
});
