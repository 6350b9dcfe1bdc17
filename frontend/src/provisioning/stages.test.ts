import { describe, expect, it } from "vitest";

import { curvePath, failedBoots, heap, MOST_SQUARES, percent, type StageMachine, STAGES, stuckTitle } from "./stages.ts";

const machine = (id: number, mark: StageMachine["mark"]): StageMachine => ({
  id, name: `gpu-${id}`, stage: "racked", mark, since: "2026-11-28T12:00:00Z", run: null, failure_class: null, text: "", ticket: null,
});

describe("the board of stages", () => {
  it("heaps machines with what failed first", () => {
    const { squares, more } = heap("racked", 4, [machine(1, "waiting"), machine(2, "failed"), machine(3, "running"), machine(4, "late")]);
    expect(squares.map(({ mark }) => mark)).toEqual(["failed", "late", "running", "waiting"]);
    expect(more).toBe(0);
  });
  it("counts what it does not draw", () => {
    expect(heap("in_service", MOST_SQUARES + 11, [])).toMatchObject({ more: 11 });
    expect(heap("in_service", 3, []).squares).toHaveLength(3);
  });
  it("begins at the pallet and ends in service", () => {
    expect([STAGES[0], STAGES.at(-1)]).toEqual(["delivered", "in_service"]);
  });
  it("names what machines wait for", () => {
    expect(stuckTitle("no_link")).toBe("No link");
    expect(stuckTitle(null)).toBe("Past its limit");
  });
  it("says how first boots failed, open and mended ones alike", () => {
    const classes = [{ failure_class: "no_power" as const, open: 2, mended: 1 }, { failure_class: "no_link" as const, open: 0, mended: 1 }];
    expect(failedBoots({ of: 40, failed: 4, classes })).toBe("No power 3, No link 1");
    expect(failedBoots({ of: 40, failed: 0, classes: [] })).toBe("");
  });
  it("draws a curve through two points and more, and through one none", () => {
    const at = (minute: number, count: number) => ({ at: `2026-11-28T12:${String(minute).padStart(2, "0")}:00Z`, count });
    expect(curvePath([at(0, 4), at(30, 6), at(40, 8)], 80, 20)).toBe("M0.0 20.0L60.0 10.0L80.0 0.0");
    expect(curvePath([at(0, 4)], 80, 20)).toBe("");
  });
  it("says a share with one decimal, and nothing of nothing", () => {
    expect([percent(47, 473), percent(0, 0)]).toEqual(["9.9 %", ""]);
  });
});
