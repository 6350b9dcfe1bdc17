import { expect, test } from "vitest";
import { match } from "../router.svelte.ts";
import { RELIABILITY_ROUTES, RELIABILITY_SECTIONS } from "./sections.ts";
import { isKnown, linesOf, overUntil, queryOf, RANGES, rangeOf, seriesOf, sumOf, titleOf, unitOf, wholeOf } from "./trends.ts";
import type { Trends, TrendSeries } from "./shapes.ts";
import { recipe, signName } from "./words.ts";

const DAYS = ["2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", "2026-11-03T00:00:00Z"];
const series = (what: TrendSeries["what"], group: string, points: [number | null, number, number][], unit = ""): TrendSeries => ({
  what,
  group,
  title: group,
  unit,
  points: points.map(([value, count, base], i) => ({ at: DAYS[i]!, value, count, base })),
});

test("every tab leads to a page of reliability", () => {
  for (const section of RELIABILITY_SECTIONS) expect(section.routes).toContain(match(section.href).name);
  expect(RELIABILITY_ROUTES).not.toContain("nowhere");
});

test("an unknown span is the shortest one, and a query ends now in whole seconds", () => {
  expect(rangeOf("7")).toBe(RANGES[0]);
  expect(rangeOf("365").bucket).toBe("week");
  expect(queryOf(RANGES[0]!, Date.parse("2026-11-21T12:00:00.900Z"))).toEqual({
    from: "2026-10-22T12:00:00.000Z",
    to: "2026-11-21T12:00:00.000Z",
    bucket: "day",
  });
});

test("the series with the most in them lead, and those of another panel are left out", () => {
  const trends: Trends = {
    from: DAYS[0]!,
    to: DAYS[2]!,
    bucket: "day",
    series: [series("failures_by_part", "nvme", [[1, 1, 10]]), series("failures_by_part", "gpu", [[3, 3, 10]]), series("mtbf", "all", [[5, 2, 10]])],
  };
  expect(seriesOf(trends, "failures_by_part").map((each) => each.group)).toEqual(["gpu", "nvme"]);
});

test("what is not known is a gap and not nought; shares are shown as per cent", () => {
  const pool = series("availability", "train", [[0.5, 5, 10], [null, 0, 0], [1, 10, 10]], "share");
  expect(linesOf([pool])[0]!.points).toEqual([[DAYS[0], 50], [DAYS[1], null], [DAYS[2], 100]]);
  expect(unitOf(pool)).toBe("%");
  expect(isKnown([series("mtbf", "all", [[null, 0, 0]])])).toBe(false);
});

test("a bucket that is not over draws no rate, and a share all the same", () => {
  const rate = series("failures_by_part", "gpu", [[1, 1, 1_000], [2, 2, 1_000], [90, 1, 0.1]]);
  const until = overUntil({ to: "2026-11-03T02:00:00Z", bucket: "day" });
  expect(linesOf([rate], until)[0]!.points.map(([, value]) => value)).toEqual([1, 2]);
  expect(linesOf([{ ...rate, what: "availability" }], until)[0]!.points.length).toBe(3);
  expect(overUntil({ to: "2026-11-22T02:00:00Z", bucket: "week" })).toBe(Date.parse("2026-11-16T00:00:00Z"));
});

test("parts are called as people write them, classes as the catalogue has them", () => {
  expect(titleOf({ what: "failures_by_part", title: "gpu" })).toBe("GPU");
  expect(titleOf({ what: "failures_by_part", title: "disk" })).toBe("Disk");
  expect(titleOf({ what: "failures_by_class", title: "gpu.gone" })).toBe("gpu.gone");
});

test("the whole span is worked out from its parts, not from the means of the days", () => {
  const pool = series("availability", "train", [[1, 1, 1], [0, 0, 9]], "share");
  expect(sumOf(pool)).toEqual({ count: 1, base: 10 });
  expect(wholeOf(pool)).toBe("10.00 %");
  expect(wholeOf(series("mtbf", "all", [[null, 0, 100]], "machine-hours"))).toBe("more than 100 h");
  expect(wholeOf(series("mtbf", "all", [[50, 2, 100]], "machine-hours"))).toBe("50 h");
  expect(wholeOf(series("failures_by_part", "gpu", [[10, 1, 100]]))).toBe("10 per 1,000 GPU-days");
  expect(wholeOf(series("mttr", "total", [[2, 4, 2]], "hours"))).toBe("2 h");
  expect(wholeOf(series("mttr", "total", [[null, 0, 0]], "hours"))).toBe("");
});

test("a sign of life is named by its kind and, where there are several, by its own name", () => {
  expect(signName({ kind: "beat", name: "beat" })).toBe("The clock of periodic work");
  expect(signName({ kind: "workers", name: "checks" })).toBe("Workers: checks");
});

test("an example of a report carries address and token, for Alertmanager as its configuration", () => {
  expect(recipe("nhc", "https://rackside.example", "src-1")).toContain("https://rackside.example/api/health/reports/");
  expect(recipe("nhc", "https://rackside.example", "src-1")).toContain("Bearer src-1");
  expect(recipe("alertmanager", "https://rackside.example", "src-1")).toContain("credentials: src-1");
});

test("no rate is made of a handful of minutes: too little data says so", () => {
  const rate = series("failures_by_part", "gpu", [[613.9, 7, 11.4]], "per 1,000 GPU-days");
  expect(wholeOf(rate)).toBe("too little data: 11.4 GPU-days watched");
  expect(linesOf([rate])[0]!.points).toEqual([[DAYS[0], null]]);
  expect(wholeOf(series("mtbf", "all", [[0.07302, 1, 0.07302]]))).toContain("too little data");
  expect(wholeOf(series("mttr", "all", [[0.07302, 0.07302, 1]], "hours"))).toBe("4 min");
});
