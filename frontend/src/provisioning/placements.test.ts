import { expect, test } from "vitest";
import { type PlacedImage, saidOf, spanText, sumText } from "./placements.ts";
import { worstFirst } from "./waves.ts";

const row = (id: number, status: PlacedImage["status"], more: Partial<PlacedImage> = {}): PlacedImage => ({
  id, machine: { id, name: `gpu-${id}` }, rack: "B02", status, wave: 1, attempt: 1, identity: "", message: "", started_at: null, begun_at: null, finished_at: null, late: false, ...more,
});

test("who needs somebody stands first, laggards before the others that are under way", () => {
  const rows = [row(1, "ok"), row(2, "running"), row(3, "running", { late: true }), row(4, "failed"), row(5, "waiting")];
  expect(worstFirst(rows).map(({ id }) => id)).toEqual([4, 3, 2, 5, 1]);
});

test("times and sums read as people say them", () => {
  expect([0.4, 45, 300, 9000].map(spanText)).toEqual(["under 1 s", "45 s", "5 min", "2.5 h"]);
  expect(sumText(30e9, 500, 4, 100, 300)).toBe("30.0 GB × 500 machines over 4 × 100 Gbit/s: about 5 min");
});

test("a machine says what it said, the digest that was read, or how long it has taken", () => {
  expect(saidOf(row(1, "failed", { message: "no space left" }), 0)).toBe("no space left");
  expect(saidOf(row(1, "ok", { identity: `sha256:${"a".repeat(64)}` }), 0)).toBe("a".repeat(12));
  expect(saidOf(row(1, "running", { started_at: "2026-11-28T12:00:00Z" }), Date.parse("2026-11-28T12:05:00Z"))).toBe("for 5 min");
  expect(saidOf(row(1, "waiting"), 0)).toBe("");
});
