import { expect, test } from "vitest";
import { type PlacedImage, pulledText, pulledTogether, saidOf, spanText, sumText } from "./placements.ts";
import { worstFirst } from "./waves.ts";

const row = (id: number, status: PlacedImage["status"], more: Partial<PlacedImage> = {}): PlacedImage => ({
  id, machine: { id, name: `gpu-${id}` }, rack: "B02", status, wave: 1, attempt: 1, identity: "", message: "", started_at: null, begun_at: null, finished_at: null, late: false, pulled_bytes: null, pulled_of_bytes: null, rate_bytes_s: null, left_s: null, ...more,
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

test("how far a pull is reads in bytes, with rate and time left where they are known, and nothing where it is not told", () => {
  const far = { pulled_bytes: 5.1e9, pulled_of_bytes: 18e9, rate_bytes_s: 310e6, left_s: 41.6 };
  expect(pulledText(far)).toBe("5.1 GB of 18.0 GB, 310 MB/s, 42 s left");
  expect(pulledText({ ...far, rate_bytes_s: null, left_s: null })).toBe("5.1 GB of 18.0 GB");
  expect(pulledText({ ...far, pulled_bytes: null })).toBe("");
  expect(pulledTogether([row(1, "running", far), row(2, "running", { ...far, left_s: 120 }), row(3, "running"), row(4, "ok", far)])).toBe("2 machines: 10.2 GB of 36.0 GB, 620 MB/s, 2 min left");
  expect(pulledTogether([row(3, "running")])).toBe("");
});
