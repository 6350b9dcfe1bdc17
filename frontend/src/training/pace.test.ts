import { describe, expect, it } from "vitest";
import type { RunPace, RunRank } from "../api/shapes.ts";
import { about, endOf, endOfJob, foundText, markOf, marksOf, measureText, rateText, withoutVerdict, ownerWord, speedText, stepText, typicalOf, worstFirst } from "./pace.ts";

const rank = (number: number, more: Partial<RunRank> = {}): RunRank =>
  ({ rank: number, failed: false, compute_s: 1, wait_s: null, step: 10, ...more }) as RunRank;

describe("training runs", () => {
  it("names attempt and job under the name", () => {
    expect(about({ name: "kestrel", key: "88213", attempt: 6, repeat: 0, job: "88213", user: "mk" })).toBe("attempt 7 · job 88213 · mk");
    expect(about({ name: "", key: "abc", attempt: 0, repeat: 0, job: "", user: "" })).toBe("");
    expect(about({ name: "kestrel", key: "abc", attempt: 0, repeat: 0, job: "", user: "" })).toBe("abc");
  });

  it("says what it does not know", () => {
    expect(ownerWord(null)).toBe("Not known");
    expect(speedText(null)).toBe("–");
    expect(stepText(null)).toBe("–");
    expect(speedText(0)).toBe("0 %");
  });

  it("does not call a run without a baseline as fast as it should be", () => {
    expect(withoutVerdict({ state: "running", speed: null, found_by: ["report"], steps_from: "report" })).toBe("Its own pace is not known yet.");
    expect(withoutVerdict({ state: "running", speed: 0.7, found_by: ["report"], steps_from: "report" })).toBe("Below its own pace.");
    expect(withoutVerdict({ state: "running", speed: null, found_by: ["processes"], steps_from: "" })).toMatch(/not reported/);
    expect(withoutVerdict({ state: "running", speed: 1, found_by: ["scheduler"], steps_from: "prometheus" })).toBe("At its own pace.");
    expect(withoutVerdict({ state: "unknown", speed: null, found_by: ["report"], steps_from: "report" })).toMatch(/nothing is known/);
  });

  it("writes step times in the unit that reads best", () => {
    expect(stepText(0.098)).toBe("98 ms");
    expect(stepText(2.306)).toBe("2.31 s");
    expect(stepText(0.9996)).toBe("1.00 s");
  });

  it("puts the first cause before failed, slow and late ranks", () => {
    const ranks = [rank(0), rank(1, { step: 9 }), rank(2, { compute_s: 1.5 }), rank(3, { failed: true }), rank(4, { failed: true })];
    const typical = typicalOf(ranks);
    const mark = (each: RunRank) => markOf(each, 4, typical, 10);
    expect(worstFirst(ranks, mark).map((each) => each.rank)).toEqual([4, 3, 2, 1, 0]);
  });

  it("marks nobody slow without times of computing", () => {
    const ranks = [rank(0, { compute_s: null }), rank(1, { compute_s: null })];
    expect(markOf(ranks[0]!, null, typicalOf(ranks), 10)).toBe("");
  });

  it("marks a change on the curve, and none where the shape is normal", () => {
    const pace = { alarm: true, at: "2026-01-01T00:00:10Z", until: null, speed: 0.71 } as RunPace;
    expect(marksOf(pace)).toEqual([{ at: Date.parse("2026-01-01T00:00:10Z"), text: "71 %" }]);
    expect(marksOf({ ...pace, alarm: false })).toEqual([]);
    expect(marksOf(null)).toEqual([]);
  });

  it("marks where a machine was replaced, also right after the last step", () => {
    const row = { at: "2026-01-01T00:01:05Z", left_name: "hgx-1", came_name: "hgx-2" };
    const pace = { alarm: false, hand_overs: [row, { ...row, came_name: "" }] } as unknown as RunPace;
    const marks = marksOf(pace);
    expect(marks.map((mark) => mark.text)).toEqual(["hgx-1 → hgx-2", "hgx-1 left"]);
    const times = ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"];
    expect(endOf(times, marks)).toBe(Date.parse(row.at));
    expect(endOf(times, [{ at: Date.parse("2026-01-01T03:00:00Z") }])).toBe(Date.parse(times[1]!));
  });

  it("says by what a curve is measured", () => {
    expect(measureText({ shape: "step", speed: 0.71, reference: "own", period: null })).toBe("71 % of its own best pace.");
    expect(measureText({ shape: "regular-dips", speed: 0.99, reference: "last_good_run", period: 120 })).toBe("99 % of the last good run, every 120 steps.");
    expect(measureText({ shape: "none", speed: 1, reference: "own", period: null })).toBe("Measured by its own best pace.");
  });

  it("writes rates in three figures", () => {
    expect([null, 12.34, 631_000, 1_240_000].map(rateText)).toEqual(["–", "12.3", "631 k", "1.24 M"]);
  });
});

describe("how a run was found", () => {
  it("says who knows of it", () => {
    expect(foundText({ found_by: ["report"] })).toBe("Reported");
    expect(foundText({ found_by: ["processes", "report", "scheduler"] })).toBe("Reported, found by processes and scheduler");
    expect(foundText({ found_by: ["scheduler"] })).toBe("Found by scheduler");
    expect(about({ name: "", key: "88213", attempt: 0, repeat: 2, job: "88213", user: "" })).toBe("started again 2 times · job 88213");
  });

  it("says how its job ended, in the scheduler's words", () => {
    const job = { job_id: "5", label: "", started_at: "", ended_at: null, exit_status: null, signal: null, why: "", partition: "", account: "", restarts: 0, gpus: 8, machine_count: 1 };
    expect(endOfJob({ ...job, state: "out_of_memory", exit_status: 0, signal: 125 })).toBe("out of memory, signal 125");
    expect(endOfJob({ ...job, state: "running" })).toBe("running");
  });
});
