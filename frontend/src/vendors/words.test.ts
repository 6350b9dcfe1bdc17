import { describe, expect, it } from "vitest";
import { VendorCaseEvent, VendorCaseState } from "../api/generated/words.ts";
import { ASKS, bytes, COLUMNS, FIELD, filled, notYet, owed, TONE } from "./words.ts";
import type { CaseItem } from "./calls.ts";

const row = (more: Partial<CaseItem>) => ({ state: "arrived", return_due: "2026-03-11", days_overdue: 0, ...more }) as CaseItem;
const today = new Date("2026-03-08T23:30:00Z");

describe("cases with vendors", () => {
  it("has a tone for every state, a column for every open one, and questions for every event", () => {
    const states = Object.keys(VendorCaseState);
    expect(Object.keys(TONE).sort()).toEqual([...states].sort());
    expect([...COLUMNS, "closed"].sort()).toEqual([...states].sort());
    expect(Object.keys(ASKS).sort()).toEqual(Object.keys(VendorCaseEvent).sort());
    for (const [field] of Object.values(ASKS).flat()) expect(FIELD[field]).toBeTruthy();
  });

  it("says when the failed part must go back, and for how long it is overdue", () => {
    expect(owed(row({}), today)).toBe("back in 3 days");
    expect(owed(row({ return_due: "2026-03-08" }), today)).toBe("back by today");
    expect(owed(row({ days_overdue: 1 }), today)).toBe("1 day overdue");
    expect(owed(row({ state: "returned" }), today)).toBe("");
  });

  it("sends only what was filled in, and a currency only with a cost", () => {
    expect(filled({ number: " SR1 ", carrier: "" })).toEqual({ number: "SR1" });
    expect(filled({ reason: "x", cost: "", currency: "EUR" })).toEqual({ reason: "x" });
    expect(filled({ cost: "12.50", currency: "EUR" })).toEqual({ cost: "12.50", currency: "EUR" });
  });

  it("names what keeps a case from being sent", () => {
    const whole = { text: "ab", title: "a", form: { text: 2, title: 1, collection: "" }, missing: [], state: "draft" as const };
    expect(notYet(whole)).toBe("");
    expect(notYet({ ...whole, text: "abc" })).toBe("The text is 1 letter too long.");
    expect(notYet({ ...whole, missing: ["service tag"] })).toBe("Still missing: service tag.");
    expect(notYet({ ...whole, missing: ["service tag"], state: "sent" })).toBe("");
  });

  it("tells sizes as people read them", () => {
    expect([bytes(12), bytes(2048), bytes(3_500_000)]).toEqual(["12 B", "2 KiB", "3.3 MiB"]);
  });
});
