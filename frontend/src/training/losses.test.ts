import { expect, test } from "vitest";
import { barsOf, causesOf, hoursText, MOST_COLOURS, OTHER, queryOf, rangeOf, type WeekLoss, weekText } from "./losses.ts";

const row = (week: string, cause: WeekLoss["cause"], hours: number): WeekLoss => ({
  week, cause, owner: cause ? "hardware" : null, runs: 1, gpu_hours: hours, repeated: 0, standing: hours, slow: 0,
});
const WEEKS = ["2026-11-02", "2026-11-09"];

test("causes are summed over the weeks, the dearest first", () => {
  const found = causesOf([row(WEEKS[0]!, null, 5), row(WEEKS[0]!, "gpu-lost", 3), row(WEEKS[1]!, "gpu-lost", 4)]);
  expect(found.map(({ cause, hours, runs }) => [cause, hours, runs])).toEqual([["gpu-lost", 7, 2], [null, 5, 1]]);
});

test("a week without a loss has an empty bar, and bars lose nothing", () => {
  const rows = [row(WEEKS[1]!, "gpu-lost", 4), row(WEEKS[1]!, null, 1)];
  const { names, bars } = barsOf(WEEKS, rows);
  expect(names).toEqual(["GPU lost", "Not known"]);
  expect(bars.map((bar) => bar.hours)).toEqual([0, 5]);
  expect(bars[0]!.parts).toEqual([]);
});

test("more causes than colours are one part", () => {
  const causes = ["gpu-lost", "cuda-ecc", "user-error", "host-oom", "nan-loss", "sigsegv"] as const;
  const { names, bars } = barsOf(WEEKS, causes.map((cause, at) => row(WEEKS[0]!, cause, 10 - at)));
  expect(names).toHaveLength(MOST_COLOURS);
  expect(bars[0]!.parts.at(-1)).toEqual({ name: OTHER, at: MOST_COLOURS - 1, hours: 11 });
  expect(bars[0]!.hours).toBe(45);
});

test("a span of weeks holds the one that is not over", () => {
  const { from, to } = queryOf(12, Date.UTC(2026, 10, 27, 12));
  expect((Date.parse(to) - Date.parse(from)) / 604_800_000).toBe(11);
  expect(rangeOf("7").weeks).toBe(12);
});

test("hours and weeks are short", () => {
  expect([hoursText(1562.4), hoursText(4.24), hoursText(0.04), weekText("2026-11-02")]).toEqual(["1,562", "4.2", "0.04", "2 Nov"]);
});
