/** A run as its live events change it: nothing is fetched again for a step that a machine took. */
import type { Run, RunMachine } from "../api/shapes.ts";
import type { LiveEvent } from "../live/protocol.ts";

export type CellStatus = "done" | "running" | "failed" | "cancelled" | "waiting";

interface StepChanged {
  run: number;
  run_machine: number;
  status: RunMachine["status"];
  failure_class: RunMachine["failure_class"];
  step: { name: RunMachine["step"]; status: string; started_at: string | null; attempt: number; detail: string };
}

/** The run after one event; the same object when the event is not about it. */
export function after(run: Run, event: LiveEvent): Run {
  if (event.kind === "run.changed" && event.data.id === run.id) {
    return { ...run, status: event.data.status as Run["status"], totals: event.data.totals as Run["totals"] };
  }
  const data = event.data as unknown as StepChanged;
  if (event.kind !== "step.changed" || data.run !== run.id) return run;
  return { ...run, machines: run.machines.map((machine) => (machine.id === data.run_machine ? moved(run, machine, data) : machine)) };
}

/** A step that is over says nothing of where the machine stands now, unless it ended there. */
function moved(run: Run, machine: RunMachine, { status, failure_class, step }: StepChanged): RunMachine {
  const goesOn = step.status === "done" && status === "running";
  const at = goesOn ? (next(run, step.name) ?? step.name) : step.status === "waiting" ? machine.step : step.name;
  const stays = at === machine.step && goesOn;
  const told = goesOn ? { detail: stays ? machine.detail : "", since: null } : { detail: step.detail, since: step.started_at };
  return { ...machine, status, failure_class, step: at, attempt: step.attempt, ...told };
}

function next(run: Run, name: RunMachine["step"]): RunMachine["step"] | undefined {
  return run.way[run.way.findIndex((step) => step.name === name) + 1]?.name;
}

/** What is known of each step of a machine from where it stands. */
export function cells(run: Run, machine: RunMachine): CellStatus[] {
  const at = run.way.findIndex((step) => step.name === machine.step);
  return run.way.map((_, number) => {
    if (machine.status === "done" || number < at) return "done";
    return number === at ? (machine.status as CellStatus) : "waiting";
  });
}

/** The title of the step where it stands. */
export const stepTitle = (run: Run, machine: RunMachine): string => run.way.find((step) => step.name === machine.step)?.title ?? machine.step;

const BEGUN: Record<string, string> = { active: "/automation/tests/", software: "/provisioning/software?run=", BMC: "/provisioning/bmc?run=" };

/** The run that a step began and waits for, as its detail names it. */
export function begunBy(detail: string): { text: string; href: string } | null {
  const [text, kind, id] = /\b(active|software|BMC) run (\d+)\b/.exec(detail) ?? [];
  return text && kind && id ? { text: text[0]?.toUpperCase() + text.slice(1), href: `${BEGUN[kind]}${id}` } : null;
}
