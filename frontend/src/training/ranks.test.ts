import { expect, test } from "vitest";
import { machinesOf } from "./ranks.ts";

test("machines of a run come once each, without those that nobody knows", () => {
  expect(machinesOf([{ machine: 7 }, { machine: 7 }, { machine: null }, { machine: 3 }])).toEqual([7, 3]);
});
