import { expect, test } from "vitest";
import { outranks, partText } from "./text.ts";

// The server tests the same examples (inventory/tests/test_slot_text.py).
const EXAMPLES = [
  ["GPU 2", "SXM 1", "SXM 1 (GPU 2)"],
  ["NVMe 3", "Bay 3", "Bay 3 (NVMe 3)"],
  ["HCA mlx5_1", "Slot 31 port 1", "Slot 31 port 1 (HCA mlx5_1)"],
  ["PSU 2", "PSU 2", "PSU 2"],
  ["DIMM A1", "A1", "DIMM A1"],
  ["Fan 4", "", "Fan 4"],
] as const;

test.each(EXAMPLES)("the number on the chassis comes first: %s, %s", (slot, label, text) => {
  expect(partText(slot, label)).toBe(text);
});

test("a role may do what it and the lower ones may", () => {
  expect([outranks("operator", "technician"), outranks("operator", "operator"), outranks("technician", "operator")]).toEqual([true, true, false]);
  expect([outranks("admin", "viewer"), outranks("viewer", "admin")]).toEqual([true, false]);
});
