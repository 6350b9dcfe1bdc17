import { expect, test } from "vitest";
import { said, takingOut, whyThisOne } from "./replacement.ts";

const machine = { id: 1, name: "hgx-1", leaf: "leaf-a", state: "ready" };
const asked = { in_service: true, allowed: true, guard: "", reason: "", frees: "" };

test("a spare says how near it is, and that it is not known to be idle", () => {
  expect(whyThisOne({ where: "leaf", golden: true, idle: true })).toBe("same leaf, golden, idle");
  expect(whyThisOne({ where: "anywhere", golden: false, idle: false })).toBe("elsewhere, not known to be idle");
});

test("a refusal of a guard is said with its reason and what frees it", () => {
  expect(takingOut({ ...machine, taking_out: asked }).word).toBe("Allowed");
  const refused = takingOut({ ...machine, taking_out: { ...asked, allowed: false, reason: "3 of 3 are out", frees: "when one returns" } });
  expect(refused).toEqual({ word: "Refused", tone: "warn", says: "3 of 3 are out; possible when one returns" });
  expect(takingOut({ ...machine, state: "drained", taking_out: { ...asked, in_service: false } }).says).toBe("it is drained");
});

test("a hand-over names who left and who came", () => {
  const row = { by: "olga", left_name: "hgx-1", came_name: "hgx-2", taken_out: true };
  expect(said(row)).toBe("olga took hgx-1 out of service; hgx-2 came for it");
  expect(said({ ...row, taken_out: false, came_name: "" })).toBe("olga took hgx-1 out of the run; no machine came for it");
});
