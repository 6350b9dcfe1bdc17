import { describe, expect, it } from "vitest";
import { bytes, fileProblem, kindOf, netboxState, stateOf } from "./words.ts";

describe("files to import", () => {
  it("are of a known format and not empty", () => {
    expect([fileProblem("a.CSV", 10), fileProblem("a.xlsx", 10)]).toEqual(["", ""]);
    expect(fileProblem("a.pdf", 10)).toContain("CSV");
    expect(fileProblem("a.csv", 0)).toContain("empty");
  });

  it("tell their kind by their name, the longest that fits", () => {
    const kinds = ["devices", "device-models", "racks", "rows"];
    expect(["racks.csv", "Device Models 2.yaml", "devices-old.xlsx", "list.csv"].map((name) => kindOf(name, kinds))).toEqual([
      "racks", "device-models", "devices", null,
    ]);
  });

  it("are as large as one says", () => {
    expect([bytes(12), bytes(1500), bytes(42_000), bytes(3_400_000)]).toEqual(["12 B", "1.5 kB", "42 kB", "3.4 MB"]);
  });

  it("are told apart: checked, applied, refused", () => {
    expect(stateOf({ status: "done", dry_run: true }).word).toBe("Dry run, can be applied");
    expect(stateOf({ status: "done", dry_run: false })).toMatchObject({ word: "Done", tone: "ok" });
    expect(stateOf({ status: "refused", dry_run: true })).toMatchObject({ word: "Refused", tone: "fail" });
    expect(netboxState({ status: "done", dry_run: true })).toMatchObject({ word: "Done, dry run", tone: "ok" });
    expect(netboxState({ status: "reading", dry_run: false })).toMatchObject({ word: "Reading", tone: "" });
  });
});
