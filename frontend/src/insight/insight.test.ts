import { describe, expect, it } from "vitest";
import { costOf, dayText, duration, hourLines, isKnown, picked, queryOf, rangeOf, tooLittle, timeLines, type Week, widest } from "./insight.ts";

const NOW = Date.parse("2026-03-12T10:00:00.500Z");
const none = { n: 2, median: null, p90: null };
const some = { n: 9, median: 7_200, p90: 36_000 };
function week(begin: string, more: Partial<Week> = {}): Week {
  return { begin, opened: 3, closed: 2, times: { acknowledged: some, hands_on: some, verified: none }, out_of_service: 10, lost: 5, money: null, ...more };
}

describe("the range of the page", () => {
  it("is that of the address, else twelve weeks that end now in whole seconds", () => {
    expect(queryOf(rangeOf(new URLSearchParams(), NOW))).toEqual({ from: "2025-12-18T10:00:00.000Z", to: "2026-03-12T10:00:00.000Z" });
    expect(rangeOf(new URLSearchParams("weeks=4"), NOW).weeks).toBe(4);
    const own = rangeOf(new URLSearchParams("from=2026-03-02T00:00Z&to=2026-03-09T00:00Z"), NOW);
    expect(own.weeks).toBeNull();
    expect(queryOf(own)).toEqual({ from: "2026-03-02T00:00:00.000Z", to: "2026-03-09T00:00:00.000Z" });
  });

  it("never ends after now, and nonsense is the usual range", () => {
    expect(rangeOf(new URLSearchParams("from=2026-03-02T00:00Z&to=2027-01-01T00:00Z"), NOW).to).toBe(Date.parse("2026-03-12T10:00:00Z"));
    for (const text of ["from=x&to=y", "from=2026-03-09&to=2026-03-02", "weeks=9"]) expect(rangeOf(new URLSearchParams(text), NOW).weeks).toBe(12);
  });

  it("takes days, the last one with its evening, and refuses an end before the begin", () => {
    const range = rangeOf(new URLSearchParams("from=2026-03-02T00:00Z&to=2026-03-09T00:00Z"), NOW);
    const to = picked(range, "to", "2026-03-04");
    expect(dayText(Date.parse(to!.to) - 1)).toBe("2026-03-04");
    expect(picked(range, "from", "2026-04-01")).toBeNull();
    expect(picked(range, "from", "")).toBeNull();
  });
});

describe("charts and words", () => {
  it("draws hours and breaks the line where there is too little data", () => {
    const weeks = [week("2026-03-02T00:00:00Z"), week("2026-03-09T00:00:00Z")];
    expect(timeLines(weeks, "hands_on").map((line) => line.points[0]![1])).toEqual([2, 10]);
    expect(isKnown(timeLines(weeks, "verified"))).toBe(false);
    expect(isKnown(hourLines(weeks))).toBe(true);
  });

  it("sums what weeks cost, and shows no money without a rate", () => {
    expect(costOf([week("a"), week("b")])).toEqual({ outOfService: 20, lost: 10, money: null });
    expect(costOf([week("a", { money: 40 }), week("b", { money: 2 })]).money).toBe(42);
  });

  it("says times as the report does, and too little data in words", () => {
    expect([120, 12_240, 180_000].map(duration)).toEqual(["2 min", "3.4 h", "2.1 d"]);
    expect(tooLittle(3, 5)).toBe("Too little data: 3 of at least 5");
    expect(widest([])).toBe(1);
  });
});
