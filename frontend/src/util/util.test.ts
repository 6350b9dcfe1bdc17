import { describe, expect, test } from "vitest";
import type { CheckResult, CheckRun, Verdict } from "../api/shapes.ts";
import { match, withQuery } from "../router.svelte.ts";
import { asSentence, plural, stateWord, unitsText } from "../text.ts";
import { strip, worstOf } from "./history.ts";
import { ago, span } from "./time.ts";
import { isOtherPart, okByCheck, troubles, tsv, worstByPart } from "./verdicts.ts";
import { RowsInSight } from "./rows.svelte.ts";

const run = (at: number, worst: Verdict): CheckRun => ({ at: new Date(at).toISOString(), worst, fail: Number(worst === "fail"), warn: 0, unknown: 0 });
const result = (check: string, part: string, verdict: Verdict): CheckResult => ({
  check, title: check, part, part_text: part, verdict, message: "", action: "", checked_at: null, changed_at: null, evidence: null, audit_mode: false, silenced: null,
});

describe("history", () => {
  test("each bar shows the worst of its time; a time without a run is empty, not ok", () => {
    const bars = strip([run(0, "ok"), run(10, "fail"), run(20, "warn"), run(350, "ok")], 4, 0, 400);
    expect(bars.map((bar) => bar.worst)).toEqual(["fail", null, null, "ok"]);
    expect(bars[0]).toMatchObject({ runs: 3, fail: 1 });
  });

  test("the newest run counts even on the very edge", () => {
    expect(strip([run(400, "fail")], 4, 0, 400).at(-1)?.worst).toBe("fail");
  });

  test("unknown never hides a fail", () => {
    expect(worstOf(["unknown", "fail", "ok"])).toBe("fail");
    expect(worstOf([null, "ok", "unknown"])).toBe("unknown");
    expect(worstOf([])).toBeNull();
  });
});

describe("verdicts", () => {
  const results = [result("a", "GPU 10", "warn"), result("a", "GPU 2", "warn"), result("b", "GPU 2", "fail"), result("a", "GPU 1", "ok"), result("c", "", "unknown")];

  test("trouble comes worst first, parts in their order", () => {
    expect(troubles(results).map((group) => [group.verdict, group.results.map((r) => r.part)])).toEqual([
      ["fail", ["GPU 2"]], ["unknown", [""]], ["warn", ["GPU 2", "GPU 10"]],
    ]);
    expect(okByCheck(results)).toEqual([{ check: "a", title: "a", parts: ["GPU 1"] }]);
  });

  test("a part is as bad as its worst verdict", () => {
    expect(worstByPart(results).get("GPU 2")).toBe("fail");
  });

  test("only another part of the right type can be accepted as a swap", () => {
    const seen = [result("gpu.identity", "GPU 3", "warn"), result("gpu.identity", "GPU 4", "fail"), result("gpu.identity", "GPU 5", "ok"), result("gpu.ecc", "GPU 3", "warn")];
    expect(seen.filter(isOtherPart).map((r) => r.part)).toEqual(["GPU 3"]);
  });

  test("a table copied to a spreadsheet keeps its cells", () => {
    expect(tsv(["a", "b"], [["x\ty", null], [1, "z\n"]])).toBe("a\tb\nx y\t\n1\tz ");
  });
});

test("only rows in sight are in the page, and the scroll bar is right", () => {
  const shown = new RowsInSight(() => null, () => ({ count: 10_000, height: 38 }));
  expect(shown.first).toBe(0);
  expect(shown.end).toBeGreaterThan(10);
  expect(shown.end).toBeLessThan(100);
  expect(shown.above + (shown.end - shown.first) * 38 + shown.below).toBe(380_000);
  const none = new RowsInSight(() => null, () => ({ count: 0, height: 38 }));
  expect([none.first, none.end, none.above, none.below]).toEqual([0, 0, 0, 0]);
});

test("times are short and plain", () => {
  expect([4, 90, 3_700, 7_800, 30_000, 200_000].map(span)).toEqual(["4 s", "1 min", "1 h 1 min", "2 h 10 min", "8 h", "2 d"]);
  expect(ago(null, 0)).toBe("never");
  expect(ago(new Date(0).toISOString(), 2_000)).toBe("just now");
});

test("words", () => {
  expect(plural(1, "machine")).toBe("1 machine");
  expect(plural(1_234, "machine")).toBe("1,234 machines");
  expect(stateWord("burn_in")).toBe("Burn-in");
  expect(stateWord("some_new_state")).toBe("Some new state");
  expect(unitsText(17, 6)).toBe("U17–22");
  expect(unitsText(40, 1)).toBe("U40");
});

describe("routes", () => {
  test("every page has its address, anything else is nowhere", () => {
    expect(["/", "/racks/7", "/machines", "/machines/12/", "/tickets/REP-2041", "/provisioning/3", "/x"].map((path) => match(path).name)).toEqual([
      "floor", "rack", "machines", "machine", "ticket", "run", "nowhere",
    ]);
    expect(match("/tickets/REP-2041").id).toBe("REP-2041");
  });

  test("changing one value of the address keeps the others", () => {
    expect(withQuery("/", "?room=2&cells=failed", { cells: "failed,off", at: null })).toBe("/?room=2&cells=failed%2Coff");
    expect(withQuery("/", "?at=1", { at: null })).toBe("/");
  });
});

test("a reason becomes a sentence, and one that is a sentence stays as it is", () => {
  expect(asSentence("restored from a backup ")).toBe("Restored from a backup.");
  expect(asSentence("The data was copied.")).toBe("The data was copied.");
  expect(asSentence("Why? ")).toBe("Why?");
  expect(asSentence("")).toBe("");
});
