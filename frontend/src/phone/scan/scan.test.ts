import { expect, it } from "vitest";
import { ticket } from "../fixtures.ts";
import { fitted } from "../photo.ts";
import { ticketOf } from "../whose.ts";
import { labelOf, type Labels, read } from "./labels.ts";
import { textOf } from "./nfc.ts";
import { Wedge } from "./wedge.ts";

const type = (wedge: Wedge, text: string, everyMs: number, from = 1_000) =>
  [...text, "Enter"].reduce<string | null>((label, key, i) => wedge.press({ key, at: from + i * everyMs }) ?? label, null);

it("a scanner that types is told from a hand", () => {
  expect(type(new Wedge(), "X98KXDJ", 8)).toBe("X98KXDJ");
  expect(type(new Wedge(), "X98KXDJ", 30)).toBe("X98KXDJ");
  expect(type(new Wedge(), "X98KXDJ", 120)).toBeNull();
  expect(type(new Wedge(), "ab", 8)).toBeNull();
});

it("Shift in the middle belongs to the label, and a letter typed long before does not", () => {
  const wedge = new Wedge();
  wedge.press({ key: "q", at: 0 });
  const keys = ["Shift", "S", "N", "-", "1", "2"];
  keys.forEach((key, i) => wedge.press({ key, at: 1_000 + i * 5 }));
  expect(wedge.press({ key: "Enter", at: 1_035 })).toBe("SN-12");
});

it.each([
  ["X98KXDJ", "X98KXDJ"],
  ["SN: 1653723575900", "1653723575900"],
  ["https://rackside.example/machines/hgx-a17-03/", "hgx-a17-03"],
  ["http://www.dell.com/support/tag/X98KXDJ", "X98KXDJ"],
  ["https://vendor.example/q?sn=ABC%2D1&x=2", "ABC-1"],
])("the label in %s is %s", (code, label) => {
  expect(labelOf(code)).toBe(label);
});

const LABELS: Labels = {
  expected: ["hgx-a17-03", "X98KXDJ"],
  nearby: [{ name: "hgx-a17-04", serial: "X98KXDK", asset_tag: "IT-4711", where: "one below" }],
  found: null,
};

it("the right label, that of the machine above, and one that nobody knows", () => {
  expect(read("x98kxdj", LABELS)).toEqual({ is: "right" });
  expect(read("IT-4711", LABELS)).toEqual({ is: "wrong", near: LABELS.nearby[0] });
  expect(read("hgx-b01-01", LABELS)).toEqual({ is: "wrong", near: null });
});

it("a scanned label finds my ticket before others, and without reception only what is on the phone", () => {
  const [mine, urgent] = [ticket({ key: "REP-1", priority: "P2" }), ticket({ key: "REP-2", priority: "P1", assignee: null })];
  const kept = [{ key: "REP-2", labels: LABELS }];
  expect(ticketOf("hgx-a17-03", [urgent, mine], kept, 3, true)?.key).toBe("REP-1");
  expect(ticketOf("X98KXDJ", [urgent, mine], kept, 3, false)?.key).toBe("REP-2");
  expect(ticketOf("elsewhere", [mine], kept, 3, false)).toBeNull();
});

it("photos keep their shape and are not made larger", () => {
  expect(fitted(4_000, 3_000)).toEqual({ width: 1_600, height: 1_200 });
  expect(fitted(640, 480)).toEqual({ width: 640, height: 480 });
});

it("text and addresses are read off a tag, and nothing else", () => {
  const data = new DataView(new TextEncoder().encode("hgx-a17-03").buffer);
  expect(textOf({ serialNumber: "04", message: { records: [{ recordType: "mime" }, { recordType: "text", data }] } })).toBe("hgx-a17-03");
  expect(textOf({ serialNumber: "04", message: { records: [] } })).toBe("");
});
