import { describe, expect, it } from "vitest";
import type { CheckResult, Component, Machine } from "../api/shapes.ts";
import { differences, groupsOf, partWords, type Side } from "./compare.ts";

const part = (text: string, more: Partial<Component> = {}): Component =>
  ({ slot: text, text, kind: "gpu", vendor: "NVIDIA", part_number: "935", serial: text + Math.random(), attributes: { firmware: "96.1", uuid: String(Math.random()) }, ...more }) as Component;
const result = (title: string, verdict: string, message = "", part_text = ""): CheckResult => ({ check: title, title, verdict, message, part_text }) as CheckResult;
const machine = { model: { vendor: "Dell", name: "XE9680" }, pool: null, bmc: "iDRAC 9", health: { cell: "available", power: "on" } } as unknown as Machine;
const side = (more: Partial<Side> = {}): Side => ({ machine, parts: [part("GPU 2"), part("GPU 10")], verdicts: [result("GPUs", "ok")], ...more });

describe("two machines beside each other", () => {
  it("are alike whatever their serials are", () => {
    expect(differences(groupsOf(side(), side()))).toBe(0);
  });

  it("differ by firmware, by an empty slot and by a verdict", () => {
    const other = side({ parts: [part("GPU 2", { attributes: { firmware: "96.2" } })], verdicts: [result("GPUs", "fail", "7 of 8")] });
    const [facts, parts, checks] = groupsOf(side(), other);
    expect(facts!.rows.every((row) => !row.differs)).toBe(true);
    expect(parts!.rows.map((row) => [row.name, row.a, row.b])).toEqual([
      ["GPU 2", "NVIDIA 935, Firmware 96.1", "NVIDIA 935, Firmware 96.2"],
      ["GPU 10", "NVIDIA 935, Firmware 96.1", "empty"],
    ]);
    expect(checks!.rows[0]).toMatchObject({ differs: true, verdicts: ["ok", "fail"] });
    expect(checks!.rows[0]!.b).toContain("7 of 8");
  });

  it("call a check that one was not asked a difference, and no readings of two that pass", () => {
    const a = side({ verdicts: [result("Temperature", "ok", "40 °C"), result("Link", "ok")] });
    const b = side({ verdicts: [result("Temperature", "ok", "41 °C")] });
    expect(groupsOf(a, b)[2]!.rows.map((row) => [row.name, row.differs, row.b])).toEqual([
      ["Link", true, "not checked"],
      ["Temperature", false, "OK"],
    ]);
  });

  it("name a part without its serial", () => {
    expect(partWords(part("GPU 1", { vendor: "", part_number: "", attributes: {} }))).toBe("");
  });
});
