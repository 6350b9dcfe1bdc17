import { describe, expect, it } from "vitest";
import { oneOf, pageOf, shown, told } from "./words.ts";

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

  it("links to a record unless it is gone", () => {
    expect([pageOf(row("racks", "changed")), pageOf(row("racks", "deleted")), pageOf(row("tags", "changed"))]).toEqual(["/racks/7", null, null]);
  });
});
