import { describe, expect, it } from "vitest";

import { type Bmc, matches, mayAccept, partsText, unconfirmed, writes } from "./discovery.ts";

const bmc = (number: number, finding: Bmc["finding"], more: Partial<Bmc> = {}): Bmc => ({
  number, address: `10.0.4.${number}`, mac: "", hostname: "", state: "read", finding, text: "", evidence: [], changes: {}, slots: [],
  planned: { id: number, name: `gpu-${number}`, rack: "B02", place: "B02 U4" }, other: null, serial: "", vendor: "", model: "", parts: {},
  accepted_at: null, accepted_by: "", ...more,
});

describe("BMCs that were found", () => {
  it("say what acceptance writes", () => {
    expect(writes(bmc(1, "fits", { changes: { bmc_ip: "10.0.4.1", system_uuid: "" }, slots: ["GPU 0", "GPU 1"] }))).toEqual([
      "BMC address: 10.0.4.1", "UUID: none", "Serials of 2 parts",
    ]);
    expect(partsText(bmc(1, "same", { parts: { dimm: 32, gpu: 8 } }))).toBe("8 GPU · 32 DIMM");
  });

  it("are accepted together only where they match, and one by one where somebody read them", () => {
    const rows = (["exchanged", "moved", "parts", "fits", "same"] as const).map((finding, at) => bmc(at, finding));
    expect(rows.filter(mayAccept).map(({ finding }) => finding)).toEqual(["exchanged", "parts", "fits", "same"]);
    expect(rows.filter(matches).map(({ finding }) => finding)).toEqual(["fits", "same"]);
    expect(mayAccept(bmc(1, "fits", { accepted_at: "2026-11-28T12:00:00Z" }))).toBe(false);
  });

  it("stand rack by rack until they are confirmed", () => {
    const placed = (number: number, rack: string, finding: Bmc["finding"]) => bmc(number, finding, { planned: { id: number, name: "x", rack, place: rack } });
    const racks = unconfirmed([placed(1, "B10", "fits"), placed(2, "B2", "moved"), placed(3, "B2", "same"), placed(4, "", "fits"), bmc(5, "unknown", { planned: null })]);
    expect(racks.map(({ rack, bmcs }) => [rack, bmcs.length])).toEqual([["B2", 1], ["B10", 1], ["No place", 1]]);
  });
});
