import { expect, test } from "vitest";
import { bytes, cageText, metres, statusTag, statusWord, watts } from "./words.ts";

test("the two ports of a cage are upper and lower", () => {
  expect([cageText({ cage: 11, lane: 2 }), cageText({ cage: 3, lane: 1 }), cageText({ cage: 3, lane: null }), cageText({})]).toEqual([
    "cage 11 lower", "cage 3 upper", "cage 3", "",
  ]);
});

test("a connected cable needs no word, any other state has one", () => {
  expect(statusTag("connected")).toBeNull();
  expect(statusTag(undefined)).toBeNull();
  expect(["planned", "to_move", "removed"].map((status) => statusTag(status)?.word)).toEqual(["Planned", "To be moved", "Removed"]);
  expect(statusWord("connected")).toBe("Connected");
});

test("quantities carry their unit, the unknown is a dash", () => {
  expect([watts(0), watts(350), watts(10_200), watts(null)]).toEqual(["0 W", "350 W", "10.2 kW", "–"]);
  expect([metres("3.00"), metres(null)]).toEqual(["3 m", ""]);
  expect([bytes(200), bytes(84_000), bytes(2_400_000)]).toEqual(["1 kB", "84 kB", "2.4 MB"]);
});
