import { describe, expect, it } from "vitest";

import { type Item, type Match, sortedItems } from "./intake.ts";

const item = (number: number, match: Match, accepted_at: string | null = null): Item => ({
  number, service_tag: `T${number}`, model: "", bmc_mac: "", macs: [], rack: "", u: null, has_password: false, match, text: "",
  changes: {}, planned: null, accepted_at, accepted_by: "",
});

describe("rows of a delivery", () => {
  it("stand with what does not fit first and what was taken over last", () => {
    const rows = [item(1, "same", "2026-11-28T12:00:00Z"), item(2, "fits"), item(3, "unknown"), item(4, "same"), item(5, "moved"), item(6, "fits")];
    expect(sortedItems(rows).map(({ number }) => number)).toEqual([3, 5, 4, 2, 6, 1]);
  });
});
