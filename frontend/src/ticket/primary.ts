/** The one thing to do next on a ticket: what the big button says and does. */
import type { Ticket, TicketStep } from "../api/shapes.ts";
import { deviceHref } from "../inventory/href.ts";

export type Primary =
  | { kind: "take"; label: string }
  | { kind: "step" | "scan" | "swap" | "recheck" | "run"; label: string; step: TicketStep }
  | { kind: "verify"; label: string }
  | { kind: "wait"; label: string }
  | { kind: "blocked"; label: string; why: string }
  | { kind: "reopen"; label: string }
  | { kind: "none"; label: string };

/** The step to do now. The verification is not ticked by hand: the button "Resolve and verify" is that step. */
export function currentStep(ticket: Ticket): TicketStep | null {
  return ticket.steps.find((step) => !step.done_at && step.kind !== "verify") ?? null;
}

type StepRun = NonNullable<TicketStep["run"]>;
export const RUN_WORD: Record<StepRun["runs"], string> = { drain: "Drain", led_on: "Switch LED on", power_off: "Power off", power_on: "Power on" };
const RUNNING_WORD: Record<StepRun["runs"], string> = { drain: "Draining…", led_on: "Switching LED on…", power_off: "Powering off…", power_on: "Powering on…" };
export const isRunning = (run: StepRun | null): boolean => run?.state === "queued" || run?.state === "asked";

/** What is not ticked but shown: the label of the machine, the serial of the new part, a machine that is off, a signature. */
export const mustBeProven = (step: TicketStep): boolean =>
  step.kind === "scan" || step.kind === "swap" || (step.run?.runs === "power_off" && step.run.state !== "seen") || Boolean(step.sign?.missing);

/** A move that was looked at and is not right: what follows needs its ports. */
export function wrongStep(ticket: Ticket): TicketStep | null {
  return ticket.steps.find((step) => step.kind === "move" && step.state === "failed" && !step.checking) ?? null;
}

export function primaryAction(ticket: Ticket): Primary {
  const may = new Set(ticket.may);
  if (ticket.status === "verifying") return { kind: "wait", label: "Verifying…" };
  if (ticket.status === "closed") {
    return may.has("reopen") ? { kind: "reopen", label: "Reopen" } : { kind: "none", label: "Closed" };
  }
  if (may.has("take") && !may.has("step")) {
    return { kind: "take", label: ticket.assignee ? `Take over from ${ticket.assignee.name}` : "Take this ticket" };
  }
  const step = may.has("step") ? currentStep(ticket) : null;
  const wrong = may.has("step") ? wrongStep(ticket) : null;
  if (wrong) return { kind: "recheck", label: `Check step ${wrong.number} again`, step: wrong };
  if (step?.waits) return { kind: "blocked", label: `Step ${step.number} waits`, why: step.waits };
  if (step?.run && isRunning(step.run)) return { kind: "wait", label: RUNNING_WORD[step.run.runs] };
  if (step?.run?.may && step.run.state !== "seen") return { kind: "run", label: RUN_WORD[step.run.runs], step };
  if (step?.sign?.missing) return { kind: "blocked", label: `Step ${step.number} waits`, why: `Not yet: ${step.sign.missing}.` };
  if (step?.kind === "swap") return { kind: "swap", label: "Record swap", step };
  if (step?.kind === "scan") return { kind: "scan", label: "Confirm label", step };
  if (step) return { kind: "step", label: `Step ${step.number} done`, step };
  if (may.has("verify")) return { kind: "verify", label: "Resolve and verify" };
  return { kind: "none", label: ticket.assignee ? `${ticket.assignee.name} is on it` : "Waiting for a technician" };
}

/** The page of what a ticket is about; none for what only the plan knows. */
export function subjectHref({ subject }: Ticket): string {
  if (subject.id === null) return "";
  if (subject.kind === "cable") return `/cables/${subject.id}`;
  return deviceHref({ id: subject.id, kind: subject.kind });
}

/** What a wedge scanner or a hand typed, without the line ends and blanks it brings. */
export const cleanScan = (text: string): string => text.replace(/[\s\u0000-\u001f]+/g, "").trim();

/** Whether a scanned label names this machine: its name, serial or asset tag, or the last six characters of one. */
export function labelMatches(scanned: string, names: (string | null | undefined)[]): boolean {
  const seen = cleanScan(scanned).toLowerCase();
  if (seen.length < 4) return false;
  return names.some((name) => {
    const known = (name ?? "").toLowerCase();
    return known !== "" && (known === seen || (seen.length >= 6 && known.endsWith(seen)));
  });
}
