import { expect, test } from "vitest";
import type { ElevationItem } from "../api/shapes.ts";
import { freeUnits, layoutFace, UNIT } from "./elevation.ts";
import { byLabel, shortLabel } from "./labels.ts";
import { overlaps } from "./geometry.ts";

function item(u: number, heightU: number, more: Partial<ElevationItem> = {}): ElevationItem {
  return {
    id: u, name: `d${u}`, kind: "machine", machine: u, model: "m", u, height_u: heightU, face: "both", column: "full",
    cell: "allocated", worst: "ok", ticket: null, parts: [], children: [], from_top_u: 1, status: "active", reason: "", owner: "", ports: [], ...more,
  };
}
const parts = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, i) => ({ slot: `${prefix}${i}`, label: `${prefix} ${i + 1}`, kind: "gpu" as const, verdict: "ok" as const }));

test.each([42, 48, 49, 52])("U1 is at the bottom and the top unit inside the frame of a %iU rack", (height) => {
  const face = layoutFace(height, [item(1, 1), item(height, 1)], "front");
  const [bottom, top] = face.items;
  expect(bottom!.box.y).toBeGreaterThan(top!.box.y);
  expect(top!.box.y).toBeGreaterThanOrEqual(face.frame.y);
  expect(bottom!.box.y + bottom!.box.h).toBeLessThanOrEqual(face.frame.y + face.frame.h);
  expect(face.units).toHaveLength(height);
});

test("half units are as tall as they are", () => {
  const [placed] = layoutFace(48, [item(10, 1.5)], "front").items;
  expect(placed!.box.h).toBeCloseTo(1.5 * UNIT - 1.6);
  expect(placed!.units).toBe("U10–10.5");
});

test("half-width devices change sides when seen from behind", () => {
  const left = item(4, 1, { column: "left" });
  const x = (side: "front" | "rear") => layoutFace(48, [left], side).items[0]!.box.x;
  expect(x("front")).toBeLessThan(x("rear"));
});

test("parts stay inside their device and apart from each other", () => {
  for (const [heightU, count, side] of [[6, 8, "front"], [8, 8, "front"], [4, 4, "front"], [6, 19, "rear"], [1, 64, "rear"]] as const) {
    const [placed] = layoutFace(48, [item(3, heightU, { parts: parts(count, "P") })], side).items;
    expect(placed!.parts).toHaveLength(count);
    placed!.parts.forEach(({ box }, i) => {
      expect(box.x).toBeGreaterThanOrEqual(placed!.box.x);
      expect(box.x + box.w).toBeLessThanOrEqual(placed!.box.x + placed!.box.w);
      expect(box.y + box.h).toBeLessThanOrEqual(placed!.box.y + placed!.box.h);
      for (const other of placed!.parts.slice(i + 1)) expect(overlaps(box, other.box)).toBe(false);
    });
  }
});

test("labels read as printed on the chassis, without the word they share", () => {
  expect(["SXM 7", "Slot 31 port 1", "A12", "Bay 0", "iDRAC"].map(shortLabel)).toEqual(["7", "31·1", "A12", "0", "iDRAC"]);
  expect(byLabel([{ label: "SXM 10" }, { label: "SXM 2" }]).map((p) => p.label)).toEqual(["SXM 2", "SXM 10"]);
});

test("free units are those no device reaches into", () => {
  expect(freeUnits(10, [item(1, 6), item(8, 1.5)])).toBe(2);
  expect(freeUnits(48, [])).toBe(48);
});
