import { expect, test } from "vitest";
import { nameByRule } from "./naming.ts";

const place = { room: "Hall 1", row: "A", rack: "A07", u: 9, n: 2, tier: "leaf", feed: "B", side: "rear-left" };

test.each([
  ["{tier}-{rack}-u{u:02}", "leaf-a07-u09"],
  ["hgx-{rack}-{n:02}", "hgx-a07-02"],
  ["{room}.{row:upper}{rack:2}-{side:short}", "hall-1.A07-rl"],
  ["pdu-{rack}-{feed}", "pdu-a07-b"],
])("%s names a device %s", (pattern, name) => {
  expect(nameByRule(pattern, place)).toBe(name);
});

test("a place that lacks what the pattern names proposes nothing", () => {
  expect(nameByRule("{rack}-u{u}", { ...place, u: null })).toBeNull();
  expect(nameByRule("{rack}-{colour}", place)).toBeNull();
});
