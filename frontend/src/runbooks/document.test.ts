import { describe, expect, test } from "vitest";
import { added, emptyDocument, emptyStep, lines, moved, problemsAt, removed, slugOf, withRuns, withStep } from "./document.ts";

const two = () => added(emptyDocument("Fans"));

describe("editing a runbook", () => {
  test("a new step has a key that no other has, also after one was removed", () => {
    expect(two().steps.map((step) => step.key)).toEqual(["step-1", "step-2"]);
    const left = added(removed(added(two()), 0));
    expect(new Set(left.steps.map((step) => step.key)).size).toBe(left.steps.length);
    expect(emptyStep([{ ...emptyStep([]), key: "step-2" }]).key).toBe("step-3");
  });

  test("steps move one place and stay at the ends; the document before is as it was", () => {
    const before = two();
    expect(moved(before, 0, 1).steps.map((step) => step.key)).toEqual(["step-2", "step-1"]);
    expect(moved(before, 0, -1)).toBe(before);
    expect(moved(before, 1, 1)).toBe(before);
    withStep(before, 0, { title: "x" });
    expect(before.steps[0]!.title).toBe("");
  });

  test("a step that the machine runs has no hands and no signature", () => {
    const hands = withStep(two(), 1, { kind: "swap", needs_off: true, sign: "lockout" });
    expect(withRuns(hands, 1, "power_off").steps[1]).toMatchObject({ runs: "power_off", kind: "check", needs_off: false, sign: "" });
    expect(withRuns(hands, 1, "").steps[1]).toMatchObject({ runs: "", kind: "swap", needs_off: true, sign: "lockout" });
  });

  test("a problem stands at its step, or at the head", () => {
    const problems = [
      { place: "minutes", reason: "a" }, { place: "steps.2.text line 1, column 3", reason: "b" }, { place: "steps.12.key", reason: "c" }, { place: "steps", reason: "d" },
    ];
    expect(problemsAt(problems, null).map((each) => each.reason)).toEqual(["a", "d"]);
    expect(problemsAt(problems, 1).map((each) => each.reason)).toEqual(["b"]);
    expect(problemsAt(problems, 11).map((each) => each.reason)).toEqual(["c"]);
  });

  test("lists are one thing a line, names are made of titles", () => {
    expect(lines(" torch \n\n wrist strap")).toEqual(["torch", "wrist strap"]);
    expect(slugOf("  Our PSU – 2nd way! ")).toBe("our-psu-2nd-way");
  });
});
