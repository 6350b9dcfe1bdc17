import { expect, test } from "vitest";
import { basisWords, between, byOf, co2Text, costText, dayAfter, daysUntil, errorText, hoursText, kwhText, momentsOf, pueSeries, spanOf, unknownText } from "./energy.ts";
import { YEAR } from "./fixtures.ts";
import type { Energy, EnergyRow, History } from "./shapes.ts";
import { isMeasured, linesOf, rangeOf } from "./trends.ts";
import { edgesOf, hourWords, monthsOf, stepOf, walk } from "./year.ts";

const TOTAL: EnergyRow = { key: "", name: "All", machines: 511, kwh: 129_955, at_least: true, cost: 18_454, cost_at_least: true, co2_kg: 40_286, co2_at_least: true, method: "outlets, ± 2 %; 3 % of the time not known", error_percent: 2, unknown_share: 0.03 };
const ENERGY: Energy = { by: "run", begin: "2026-11-14", end: "2026-11-21", currency: "EUR", tariff_per_kwh: 0.142, co2_g_per_kwh: 310, rows: [], total: TOTAL };

test("what was measured in part is at least so much, in kWh, cost and CO₂", () => {
  expect(kwhText(TOTAL)).toBe("≥ 129,955");
  expect(costText(TOTAL, "EUR")).toBe("≥ €18,454");
  expect(co2Text(40_286, true)).toBe("≥ 40.3 t");
});

test("what is not known has no number: neither energy without a value, nor cost without a tariff", () => {
  expect(kwhText({ kwh: null, at_least: false })).toBe("not known");
  expect(costText({ cost: null, cost_at_least: true }, "EUR")).toBe("not known");
  expect([co2Text(null, false), errorText(null)]).toEqual(["not known", ""]);
});

test("below the table stand tariff, factor, error and what was not measured", () => {
  expect(basisWords(ENERGY)).toBe("Error ± 2 % · €0.142/kWh · 310 g CO₂/kWh · 3 % not measured");
  expect(basisWords({ ...ENERGY, tariff_per_kwh: null, co2_g_per_kwh: null, total: { ...TOTAL, error_percent: null, unknown_share: 0 } })).toBe("no tariff set · no CO₂ factor set");
  expect([unknownText(0), unknownText(0.002), unknownText(0.5)]).toEqual(["", "less than 1 % not measured", "50 % not measured"]);
});

test("spans and kinds of the address that are none become the usual ones", () => {
  expect([spanOf("x").key, byOf("x"), rangeOf(null).key]).toEqual(["7d", "run", "24h"]);
  expect(spanOf("30d").days).toBe(30);
  expect(between(1, Date.parse("2026-11-21T10:00:31Z"))).toEqual({ begin: "2026-11-20T10:00:00.000Z", end: "2026-11-21T10:00:00.000Z" });
});

test("hours of slowed GPUs say at least where some were not told, and are not known where none were", () => {
  expect([hoursText(12.4, false), hoursText(0.25, true), hoursText(0, true), hoursText(null, true)]).toEqual(["12 h", "at least 0.3 h", "at least 0 h", "not known"]);
});

test("energy is asked by whole days in UTC, today among them, and hours of PUE of the last 35 days at most", () => {
  const now = Date.parse("2026-11-21T23:30:00Z");
  expect(daysUntil(1, now)).toEqual({ begin: "2026-11-21", end: "2026-11-22" });
  expect(daysUntil(7, now)).toEqual({ begin: "2026-11-15", end: "2026-11-22" });
  expect([dayAfter("2026-02-28"), dayAfter("2026-03-01", -1)]).toEqual(["2026-03-01", "2026-02-28"]);
  expect(momentsOf({ begin: "2026-11-15", end: "2026-11-22" })).toEqual({ begin: "2026-11-15T00:00:00.000Z", end: "2026-11-22T00:00:00.000Z" });
  expect(momentsOf(daysUntil(365, now)).begin).toBe("2026-10-18T00:00:00.000Z");
});

test("an hour without both meters has no PUE", () => {
  expect(pueSeries([{ at: "2026-11-21T09:00:00Z", site_w: null, it_w: 4e6, pue: null }])[0]!.points).toEqual([["2026-11-21T09:00:00Z", null]]);
});

// ---- history ----

const HISTORY: History = { quantity: "power_w", unit: "W", begin: "2026-11-21T09:00:00Z", end: "2026-11-21T09:03:00Z", step_s: 60, mean: [37_000, null, 38_000], low: [36_000, null, 37_500], high: [38_000, null, 38_500] };

test("a history is three lines in kilowatts, with a hole where nothing was measured", () => {
  const [mean, low] = linesOf(HISTORY);
  expect(mean!.points).toEqual([["2026-11-21T09:00:00.000Z", 37], ["2026-11-21T09:01:00.000Z", null], ["2026-11-21T09:02:00.000Z", 38]]);
  expect([low!.name, low!.points[0]![1]]).toEqual(["low", 36]);
  expect([isMeasured(HISTORY), isMeasured({ ...HISTORY, mean: [null, null, null] })]).toEqual([true, false]);
});

// ---- a year ----

test("an hour that was not measured has no step of the scale, the least the first, the most the last", () => {
  expect([stepOf(YEAR, { day: 1, hour: 4 }), stepOf(YEAR, { day: 0, hour: 0 }), stepOf(YEAR, { day: 2, hour: 5 })]).toEqual([0, 1, 6]);
  expect(stepOf({ ...YEAR, low: null, high: null }, { day: 0, hour: 0 })).toBe(0);
  expect(stepOf({ ...YEAR, low: 36_000, high: 36_000 }, { day: 2, hour: 0 })).toBe(1);
});

test("an hour is read as text with its day, its unit and its time zone", () => {
  expect(hourWords(YEAR, { day: 0, hour: 4 })).toMatch(/^Sat,? 31 Jan, 04:00–05:00 UTC: 31 kW$/);
  expect(hourWords(YEAR, { day: 1, hour: 23 })).toMatch(/^Sun,? 1 Feb, 23:00–00:00 UTC: not measured$/);
});

test("keys walk over hours and days and stay within the year", () => {
  expect(walk(YEAR, { day: 0, hour: 0 }, "ArrowRight")).toEqual({ day: 1, hour: 0 });
  expect(walk(YEAR, { day: 0, hour: 0 }, "ArrowUp")).toEqual({ day: 0, hour: 0 });
  expect(walk(YEAR, { day: 0, hour: 3 }, "PageDown")).toEqual({ day: 2, hour: 3 });
  expect(walk(YEAR, { day: 0, hour: 3 }, "x")).toBeNull();
});

test("months tell their mean and how many of their hours are known", () => {
  expect(monthsOf(YEAR).map(({ name, from, known, of, mean }) => [name, from, known, of, mean])).toEqual([["Jan", 0, 24, 24, 32.875], ["Feb", 1, 24, 48, 36]]);
  expect(edgesOf(YEAR)).toEqual([30, 31, 32, 33, 34, 35, 36]);
});
