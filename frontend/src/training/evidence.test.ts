import { expect, test } from "vitest";
import type { RunRank } from "../api/shapes.ts";
import { clockWords, placeOf, rankRanges, reach, shareOf } from "./evidence.ts";

test("ranks are put together, and those that are not listed are counted", () => {
  expect(rankRanges([13])).toBe("rank 13");
  expect(rankRanges([0, 1, 2, 5, 7, 8])).toBe("ranks 0–2, 5, 7–8");
  expect(rankRanges([0, 1], 4088)).toBe("ranks 0–1 and 4,086 more");
  expect(rankRanges([0, 2, 4, 6], 4, 2)).toBe("ranks 0, 2 and 2 more");
  expect(rankRanges([])).toBe("");
});

test("how far a collection came is said", () => {
  const row = { state: "running", reason: "asked", machines: 511, answered: 12, complete: 11 } as const;
  expect(reach(row)).toBe("12 of 511 machines answered so far");
  expect(reach({ ...row, state: "done", answered: 511, complete: 510 })).toBe("complete from 510 of 511 machines");
  expect(reach({ ...row, state: "done", machines: 1, answered: 1, complete: 1 })).toBe("complete from 1 machine");
  expect(reach({ ...row, reason: "pushed", state: "queued", machines: 3, answered: 3, complete: 3 })).toBe("pushed by 3 machines");
});

test("a place, a clock and a bar", () => {
  const ranks = [{ rank: 3, machine_name: "hgx-a01", slot: "gpu3" }] as RunRank[];
  expect(placeOf(3, ranks)).toBe("hgx-a01, gpu3");
  expect(placeOf(4, ranks)).toBe("");
  expect(clockWords(240.2)).toBe("clock 4 min 0 s fast");
  expect(clockWords(-2)).toBe("clock 2.0 s slow");
  expect(clockWords(0.1)).toBe("");
  expect(clockWords(null)).toBe("");
  expect(shareOf(1, 4088)).toBe(2);
  expect(shareOf(5, 10)).toBe(50);
});
