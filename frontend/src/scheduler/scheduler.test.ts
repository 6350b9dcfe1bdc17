import { describe, expect, test } from "vitest";
import type { FloorOfScheduler, MachineRow } from "../api/shapes.ts";
import { groupMarks } from "../map/shapes.ts";
import { coloured, IDLE } from "./floorLayer.ts";
import { COLOURS, OTHERS } from "../map/groups.ts";
import { leftText, numberOf, userText, viewText, whyText } from "./jobs.ts";

const COLUMNS = ["id", "label", "name", "user", "account", "partition", "gpus", "started_at", "time_limit_s", "machine_count", "machines"];
const row = (id: number, account: string, machines: number[], name = "") => [id, String(id), name, "ann", account, "main", 8, "2026-03-02T12:00:00Z", null, machines.length, machines];
const floor = (rows: unknown[][], more: Partial<FloorOfScheduler> = {}) =>
  ({ scheduler: null, jobs: { columns: COLUMNS, rows }, partitions: [], named: [1, 2, 3, 4], ...more }) as FloorOfScheduler;
const machines = (count: number) => Array.from({ length: count }, (_, i) => ({ id: i + 1, name: `m${i + 1}` }) as MachineRow);
const NONE = new Set<string>();

describe("the floor by what runs", () => {
  test("the largest groups have colours, machines without a job and unknown ones are told apart", () => {
    const found = coloured(floor([row(7, "nlp", [1, 2], "kestrel"), row(8, "", [3])]), "job", machines(5), NONE);
    expect(found.groups.map((each) => [each.word, each.number, each.machines])).toEqual([["7 kestrel", 1, 2], ["8", 2, 1]]);
    expect([found.idle, found.unknown]).toEqual([1, 1]);
    const [first, , , idle, unknown] = machines(5);
    expect([found.layer.groupOf!(first!), found.layer.groupOf!(idle!), found.layer.groupOf!(unknown!)]).toEqual([1, null, null]);
    expect([found.layer.cellOf(idle!), found.layer.cellOf(unknown!)]).toEqual(["available", "no_signal"]);
    expect(found.layer.note(first!, 0)).toBe("7 kestrel");
  });

  test("a machine with two jobs shows one and says that there is another", () => {
    const found = coloured(floor([row(7, "nlp", [1, 2]), row(8, "nlp", [1])]), "job", machines(2), NONE);
    expect(found.layer.note(machines(1)[0]!, 0)).toBe("7 + 1");
    const accounts = coloured(floor([row(7, "nlp", [1, 2]), row(8, "nlp", [1])]), "account", machines(2), NONE);
    expect(accounts.groups.map((each) => [each.word, each.machines])).toEqual([["nlp", 2]]);
    expect(accounts.layer.note(machines(1)[0]!, 0)).toBe("nlp");
  });

  test("a machine of two partitions shows the smaller one", () => {
    const partitions = [{ name: "all", state: "up", machines: [1, 2, 3] }, { name: "h100", state: "up", machines: [1] }];
    const found = coloured(floor([], { partitions }), "partition", machines(3), NONE);
    expect(found.groups.map((each) => [each.key, each.machines])).toEqual([["all", 2], ["h100", 1]]);
  });

  test("what is chosen stays, the others are dimmed", () => {
    const jobs = floor([row(7, "nlp", [1]), row(8, "vision", [2])]);
    const [one, two, three] = machines(3);
    const layer = coloured(jobs, "job", machines(3), new Set(["7"])).layer;
    expect([layer.dims!(one!), layer.dims!(two!), layer.dims!(three!)]).toEqual([false, true, true]);
    expect(coloured(jobs, "job", machines(3), new Set([IDLE])).layer.dims!(three!)).toBe(false);
  });

  test("5,000 machines with a job each are sorted into eight colours and the others", () => {
    const all = machines(5000);
    const data = floor(all.map((each) => row(each.id + 10_000, "nlp", [each.id])), { named: all.map((each) => each.id) });
    const found = coloured(data, "job", all, new Set([OTHERS]));
    for (const each of all) found.layer.groupOf!(each);
    expect(found.groups).toHaveLength(COLOURS);
    expect(found.others).toBe(5000 - COLOURS);
    expect(all.filter((each) => found.layer.dims!(each))).toHaveLength(COLOURS);
  });
});

test("each group carries a digit of its own wherever there is room", () => {
  const paths = [1, 2, 3, 4, 5, 6, 7, 8].map((group) => groupMarks(group, { x: 0, y: 0, w: 30, h: 20 })[0]!.path);
  expect(new Set(paths).size).toBe(8);
  expect(paths.every((path) => /^(M[-\d.]+ [-\d.]+[hv][-\d.]+)+$/.test(path))).toBe(true);
  expect(groupMarks(1, { x: 0, y: 0, w: 8, h: 4 })).toEqual([]);
});

test("a node of Kubernetes is cordoned, one of Slurm drained", () => {
  expect([viewText({ state: "drained", words: "idle+drain" }), viewText({ state: "drained", words: "ready+cordoned" })]).toEqual(["Drained", "Cordoned"]);
  expect([viewText({ state: "allocated", words: "ready+cordoned" }), viewText({ state: "idle", words: "ready" })]).toEqual(["Allocated, cordoned", "Idle"]);
});

test("jobs in words", () => {
  expect(numberOf({ label: "88213", name: "", component: 1 })).toBe("88213+1");
  expect([userText(null), userText(""), userText("ann")]).toEqual(["not shown to you", "–", "ann"]);
  expect([whyText("Priority"), whyText("ReqNodeNotAvail, UnavailableNodes:gpu1"), whyText("Odd"), whyText("")]).toEqual([
    "Others come first", "Machines that it needs are not available", "Odd", "Not said",
  ]);
  expect([leftText(null, 0), leftText("1970-01-01T01:00:00Z", 0), leftText("1970-01-01T01:00:00Z", 4e6)]).toEqual(["no limit", "1 h", "past its limit"]);
});
