import { expect, test } from "vitest";
import { cellOf, type SoftwareMachine } from "./software.ts";
import { isOpen, through, worstFirst } from "./waves.ts";

const machine = (id: number, status: SoftwareMachine["status"], outcomes: SoftwareMachine["outcomes"] = {}): SoftwareMachine => ({
  id, machine: { id, name: `gpu-${id}` }, status, wave: 1, outcomes, message: "", task_count: 0, started_at: null, finished_at: null,
});
const ROLES = ["time", "docker", "limits"];

test("what failed stands first, what is done last, each in the order of the run", () => {
  const rows = [machine(1, "ok"), machine(2, "running"), machine(3, "failed"), machine(4, "unreachable"), machine(5, "failed")];
  expect(worstFirst(rows).map(({ id }) => id)).toEqual([3, 5, 4, 2, 1]);
});

test("the first role that did not end is the one under way", () => {
  const row = machine(1, "running", { time: "changed" });
  expect(ROLES.map((role) => cellOf(row, role, ROLES))).toEqual(["changed", "running", "waiting"]);
});

test("what was not done on a machine that failed is not said to wait", () => {
  const row = machine(1, "failed", { time: "failed" });
  expect(ROLES.map((role) => cellOf(row, role, ROLES))).toEqual(["failed", "none", "none"]);
  expect(cellOf(machine(2, "waiting"), "time", ROLES)).toBe("waiting");
});

test("a run is through with what is neither waiting nor under way", () => {
  const totals = { waiting: 3, running: 1, ok: 4, failed: 1, unreachable: 0, refused: 1, cancelled: 0 };
  expect(through({ totals })).toEqual({ done: 6, of: 10 });
  expect([isOpen({ status: "running" }), isOpen({ status: "stopped" })]).toEqual([true, false]);
});
