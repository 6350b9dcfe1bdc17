import { describe, expect, test } from "vitest";
import { asked, isNarrowed } from "./filters.ts";

const of = (text: string) => new URLSearchParams(text);

describe("what the list is asked", () => {
  test("at first: all that is not closed, without what is snoozed, the most urgent first", () => {
    expect(asked(of(""))).toEqual({ active: true, snoozed: false, ordering: "priority,due_at,number" });
  });
  test("several queues are asked as several", () => {
    expect(asked(of("queue=hands,network&priority=P1"))).toMatchObject({ queue: ["hands", "network"], priority: ["P1"] });
  });
  test("closed ones: the last closed first", () => {
    expect(asked(of("filter=closed"))).toEqual({ status: "closed", ordering: "-closed_at" });
  });
  test("a filter that nobody knows asks for nothing of its own", () => {
    expect(asked(of("filter=colour"))).toEqual({ ordering: "priority,due_at,number" });
  });
});

describe("saved filters", () => {
  test("only the plain list is not worth saving", () => {
    expect(isNarrowed(of(""))).toBe(false);
    expect(isNarrowed(of("page=2"))).toBe(false);
    expect(isNarrowed(of("queue=own"))).toBe(true);
  });
});
