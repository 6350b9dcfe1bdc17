import { describe, expect, it } from "vitest";

import { changeOf, formOf, heldCount, heldNames, isFull, limitName, type Limits, type StartLimit, waitsFor } from "./limits.ts";

const held = (...ids: number[]) => ids.map((id) => ({ run_machine: id, run: 1, id, name: `gpu-${id}` }));
const limit = (kind: StartLimit["kind"], name: string, under_way: number, most: number, waiting: number[] = []): StartLimit => ({ kind, id: 1, name, under_way, most, waiting: held(...waiting) });
const LIMITS: Limits = {
  site: 1, a_rack: null, a_switch: 16, a_mirror: null, usual_a_rack: 4,
  stages: [{ stage: "racked", seconds: 172_800 }],
  usual_stages: [{ stage: "racked", seconds: 86_400 }, { stage: "installed", seconds: 1_800 }],
};

describe("limits", () => {
  it("are called as people call them", () => {
    expect(limitName(limit("rack", "B02", 4, 4))).toBe("Rack B02");
    expect(limitName(limit("mirror", "", 4, 4))).toBe("Boot server");
    expect([limitName(limit("run", "Row E", 1, 8)), limitName(limit("run", "run 7", 1, 8))]).toEqual(["Run “Row E”", "Run 7"]);
  });
  it("say what a machine waits for, all of it, and nothing of one that starts next", () => {
    const limits = [limit("rack", "B02", 4, 4, [1, 2]), limit("all_runs", "", 64, 64, [2]), limit("mirror", "", 48, 48, [4])];
    expect([...waitsFor(limits)]).toEqual([
      [1, "rack B02 is full (4 of 4)"],
      [2, "rack B02 is full (4 of 4), all runs together are full (64 of 64)"],
      [4, "the boot server is full (48 of 48)"],
    ]);
    expect([...limits, limit("rack", "B03", 3, 4)].map(isFull)).toEqual([true, true, true, false]);
    expect(heldCount(limits)).toBe(3);
  });
  it("name the first that wait", () => {
    expect(heldNames(limit("rack", "B02", 4, 4, [1, 2, 3]), 2)).toBe("gpu-1, gpu-2 and 1 more");
    expect(heldNames(limit("rack", "B02", 4, 4, [1]), 2)).toBe("gpu-1");
  });
  it("go into a form in hours and come back in seconds; an empty field is as usual", () => {
    const form = formOf(LIMITS);
    expect(form).toEqual({ a_rack: null, a_switch: 16, a_mirror: null, hours: { racked: 48 } });
    const given = { ...form, a_switch: null, hours: { racked: null, installed: 0.25 } };
    expect(changeOf(given, LIMITS)).toEqual({
      a_rack: null, a_switch: null, a_mirror: null,
      stages: [{ stage: "racked", seconds: null }, { stage: "installed", seconds: 900 }],
    });
  });
});
