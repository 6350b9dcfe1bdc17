import { describe, expect, it } from "vitest";

import type { Run, RunMachine } from "../api/shapes.ts";
import { after, begunBy, cells, stepTitle } from "./run.ts";

const WAY = [
  { name: "identity", title: "Identity" },
  { name: "ssh", title: "SSH" },
  { name: "ready", title: "Ready" },
];
const machine = (id: number, over: Partial<RunMachine> = {}) =>
  ({ id, machine: { id, name: `gpu-${id}` }, status: "running", step: "identity", detail: "", since: null, attempt: 1, failure_class: null, ...over }) as RunMachine;
const run = (...machines: RunMachine[]) => ({ id: 7, status: "running", way: WAY, machines, totals: {} }) as unknown as Run;
const changed = (step: object, over: object = {}) => ({
  id: 1, kind: "step.changed", subject: "", at: "",
  data: { run: 7, run_machine: 1, status: "running", failure_class: null, step: { started_at: null, attempt: 1, detail: "", ...step }, ...over },
});

describe("a run after an event", () => {
  it("has the machine at the next step when one is done", () => {
    const [first, second] = after(run(machine(1), machine(2)), changed({ name: "identity", status: "done" })).machines;
    expect(first!.step).toBe("ssh");
    expect(second!.step).toBe("identity");
  });
  it("keeps a failed machine where it failed, with why", () => {
    const failed = changed({ name: "ssh", status: "failed", detail: "no answer" }, { status: "failed", failure_class: "no_ssh" });
    const [first] = after(run(machine(1, { step: "ssh" })), failed).machines;
    expect([first!.step, first!.status, first!.failure_class, first!.detail]).toEqual(["ssh", "failed", "no_ssh", "no answer"]);
  });
  it("is the same object for an event of another run", () => {
    const before = run(machine(1));
    expect(after(before, changed({ name: "identity", status: "done" }, { run: 8 }))).toBe(before);
    expect(after(before, { ...changed({}), kind: "ticket.changed" })).toBe(before);
  });
  it("has the totals of the event", () => {
    const totals = { done: 1 };
    expect(after(run(), { id: 1, kind: "run.changed", subject: "", at: "", data: { id: 7, status: "done", totals } })).toMatchObject({ status: "done", totals });
  });
});

describe("the cells of a machine", () => {
  it("are done before where it stands, and waiting behind", () => {
    expect(cells(run(), machine(1, { step: "ssh" }))).toEqual(["done", "running", "waiting"]);
    expect(cells(run(), machine(1, { step: "ssh", status: "failed" }))).toEqual(["done", "failed", "waiting"]);
    expect(cells(run(), machine(1, { step: "ready", status: "done" }))).toEqual(["done", "done", "done"]);
    expect(stepTitle(run(), machine(1, { step: "ssh" }))).toBe("SSH");
  });
});

it("names the run that a step waits for", () => {
  expect(begunBy("passed: active run 12")).toEqual({ text: "Active run 12", href: "/automation/tests/12" });
  expect(begunBy("software run 3: 0 of 2 roles done")).toEqual({ text: "Software run 3", href: "/provisioning/software?run=3" });
  expect(begunBy("BMC run 5 sets its password")).toEqual({ text: "BMC run 5", href: "/provisioning/bmc?run=5" });
  expect(begunBy("SSH answers with the expected host key")).toBeNull();
});
