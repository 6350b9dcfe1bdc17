/** Automation in an operator's words. */
import { humanise, plural, type Said } from "../text.ts";
import type { ActiveKind, ActiveRun, ActiveState, ActiveWindow, Scheduler } from "./types.ts";

export const ACTIVE_STATE: Record<ActiveState, Said> = {
  planned: { word: "Planned", tone: "", says: "Nothing has begun." },
  waiting: { word: "Waiting", tone: "", says: "For machines, or for its turn." },
  running: { word: "Running", tone: "accent", says: "Machines are under load." },
  done: { word: "Done", tone: "ok", says: "Every test has ended." },
  failed: { word: "Failed", tone: "fail", says: "It could not be carried through." },
  cancelled: { word: "Cancelled", tone: "warn", says: "Somebody stopped it; what ended is kept." },
};

export const isOpen = (state: ActiveState): boolean => state === "planned" || state === "waiting" || state === "running";

export const BURN_IN = "burn_in";
export const kindTitle = (kinds: ActiveKind[] | null, id: string): string =>
  id === BURN_IN ? "Burn-in" : (kinds?.find((kind) => kind.id === id)?.title ?? humanise(id));

/** `3 failed, 1 without a result, 60 passed`; what is wrong leads. */
export function resultWords({ result }: Pick<ActiveRun, "result">): string {
  return [
    result.fail && `${result.fail.toLocaleString("en")} failed`,
    result.unknown && `${result.unknown.toLocaleString("en")} without a result`,
    result.pass && `${result.pass.toLocaleString("en")} passed`,
  ].filter(Boolean).join(", ");
}

export const resultTone = ({ result }: Pick<ActiveRun, "result">): Said["tone"] => (result.fail ? "fail" : result.unknown ? "warn" : result.pass ? "ok" : "");

export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** `Saturdays 22:00 to 06:00 the next day (UTC)`. */
export function windowWords(window: Pick<ActiveWindow, "weekday" | "from" | "to">): string {
  const over = window.to <= window.from ? " the next day" : "";
  return `${DAYS[window.weekday]}s ${window.from.slice(0, 5)} to ${window.to.slice(0, 5)}${over} (UTC)`;
}

export function minutesWords(minutes: number): string {
  return minutes < 90 ? `about ${plural(Math.max(1, Math.round(minutes)), "minute")}` : `about ${plural(Math.round(minutes / 60), "hour")}`;
}

// ---- scheduler ----

export const SCHEDULER_STATE: Record<Scheduler["state"], Said> = {
  never: { word: "Not read yet", tone: "warn", says: "What runs on machines is unknown." },
  good: { word: "Read", tone: "ok", says: "It answers." },
  stale: { word: "Stale", tone: "warn", says: "It has not answered for a while; what runs on machines is unknown." },
  failed: { word: "Does not answer", tone: "fail", says: "What runs on machines is unknown, so nothing intrusive is done." },
};

const DISAGREEMENT: Record<string, Said> = {
  drained_without_ticket: { word: "Drained, nobody works on it", tone: "warn", says: "The scheduler keeps it out of service, and we have neither fault nor ticket." },
  closed_still_drained: { word: "Repaired, still drained", tone: "warn", says: "We have it in service, and the scheduler does not." },
  bad_allocated: { word: "Broken, still at work", tone: "fail", says: "Jobs run on a machine that is out of service here." },
  facts_differ: { word: "Other hardware", tone: "warn", says: "The scheduler counts other processors, memory or GPUs than the inventory." },
  unknown_machine: { word: "Not in the inventory", tone: "", says: "Only the scheduler knows it." },
  missing_machine: { word: "Not in the scheduler", tone: "", says: "Only the inventory knows it." },
  not_read: { word: "Not read", tone: "fail", says: "The scheduler gives no answer that could be compared." },
};
export const disagreementSaid = (kind: string): Said => DISAGREEMENT[kind] ?? { word: humanise(kind), tone: "", says: "" };
