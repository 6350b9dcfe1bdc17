import { describe, expect, it } from "vitest";
import { datesOf, dueIn, type Policy, timesText, weekText, wrongDates } from "./policy.ts";

const policy: Policy = {
  site: 1, p1_hours: 4, p2_hours: 24, p3_hours: 1, around_the_clock: ["P1"], work_from: "08:00:00", work_until: "18:30:00",
  work_days: [4, 0, 1, 2, 3], days_off: [], queue_rules: [], limits: [],
};

describe("a desk's policy in words", () => {
  it("names a span of days by its ends, and two days by themselves", () => {
    expect(weekText([0, 1, 2, 3, 4])).toBe("Mon–Fri");
    expect(weekText([6, 5, 0])).toBe("Mon, Sat, Sun");
    expect(weekText([0, 1, 2, 5])).toBe("Mon–Wed, Sat");
    expect(timesText(policy)).toBe("08:00–18:30, Mon–Fri");
  });

  it("says whether nights count", () => {
    expect(dueIn(policy, "P1")).toBe("4 h around the clock");
    expect(dueIn(policy, "P2")).toBe("24 working hours");
    expect(dueIn(policy, "P3")).toBe("1 working hour");
  });

  it("takes dates however they are set apart, each once and in order", () => {
    expect(datesOf("2026-12-26\n2026-12-25, 2026-12-25")).toEqual(["2026-12-25", "2026-12-26"]);
    expect(wrongDates("2026-12-25 2026-02-30 25.12.2026")).toEqual(["2026-02-30", "25.12.2026"]);
    expect(wrongDates("")).toEqual([]);
  });
});
