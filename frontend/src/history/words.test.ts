import { describe, expect, it } from "vitest";
import { oneOf, pageOf, shown, told, undoingInWords } from "./words.ts";

const row = (kind: string, action: "created" | "changed" | "deleted", fields = {}) => ({ kind, object: 7, name: "A01", action, fields });

describe("history in words", () => {
  it("says nothing as a dash and lists with commas", () => {
    expect([shown(null), shown(""), shown([]), shown(0), shown(false), shown(["a", "b"])]).toEqual(["–", "–", "–", "0", "no", "a, b"]);
  });

  it("names one of a kind", () => {
    expect(["racks", "power-feeds", "ip-addresses", "switches", "components"].map(oneOf)).toEqual([
      "rack", "power feed", "ip address", "switch", "component",
    ]);
  });

  it("leaves out empty fields of a new record and keeps those that changed", () => {
    expect(told(row("racks", "created", { name: { before: null, after: "A01" }, serial: { before: null, after: "" } }))).toEqual([
      ["Name", "–", "A01"],
    ]);
  });

  it("tells how far the undo of a large change is, and how it ended", () => {
    const undoing = { status: "running", done: 4_100, total: 10_000, message: "" } as const;
    expect([undoing, { ...undoing, done: 0, total: 0 }, { ...undoing, status: "refused" as const }].map(undoingInWords)).toEqual([
      "undoing, 41 %", "undoing", "undo refused",
    ]);
  });

  it("links to a record unless it is gone", () => {
    expect([pageOf(row("racks", "changed")), pageOf(row("racks", "deleted")), pageOf(row("tags", "changed"))]).toEqual(["/racks/7", null, null]);
  });
});
