import { expect, test } from "vitest";
import { costText, dueText, untils } from "./due.ts";

const now = new Date(2026, 10, 23, 10, 24); // a Monday
const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).toISOString();

test.each([
  [at(23, 13, 40), "13:40"],
  [at(24, 9), "Tue 09:00"],
  [at(23, 8, 24), "2 h late"],
  [new Date(2026, 11, 18, 9).toISOString(), "18 Dec"],
  [null, ""],
])("%s is due %s", (iso, text) => expect(dueText(iso, now.getTime())).toBe(text));

test("the line of the cost stands without its priority", () => {
  expect(costText("P1: 8 GPUs out, 1 job hurt")).toBe("8 GPUs out, 1 job hurt");
  expect(costText("")).toBe("");
});

test.each([0, 1, 2, 3, 4, 5, 6])("every time to snooze until lies ahead, on day %i of the week too", (day) => {
  const start = new Date(2026, 10, 22 + day, 23, 30);
  const found = untils(start);
  expect(found.every(({ at }) => at > start)).toBe(true);
  expect(found[3]!.at.getDay()).toBe(1);
  expect(found[3]!.at.getHours()).toBe(8);
});
