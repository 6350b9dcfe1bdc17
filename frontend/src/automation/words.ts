/** Automation in an operator's words. */
import * as words from "../api/generated/words.ts";
import type { Cell } from "../api/shapes.ts";
import { humanise, plural, type Said, toned, wordFor, wordsOf } from "../text.ts";
import type { Action, ActiveKind, ActiveRun, ActiveState, ActiveWindow, AllowedHours, Automation, Budget, Conclusion, Incident, Offer, PlanRow, Remedy } from "./shapes.ts";

export const ACTIVE_STATE = toned(words.RunStatus, { running: "accent", done: "ok", failed: "fail", cancelled: "warn" });

export const isOpen = (state: ActiveState): boolean => state === "waiting" || state === "running";

export const BURN_IN = "burn_in";
/** Tests of which a run over pairs is made. */
const OF_PAIRS: Record<string, string> = { bandwidth: "Bandwidth", latency: "Latency" };
export const kindTitle = (kinds: ActiveKind[] | null, id: string): string =>
  id === BURN_IN ? "Burn-in" : OF_PAIRS[id] ?? (kinds?.find((kind) => kind.id === id)?.title ?? humanise(id));

/** `3 failed, 1 without a result, 60 passed`; what is wrong leads. */
export function resultWords({ result }: Pick<ActiveRun, "result">): string {
  return [
    result.fail && `${result.fail.toLocaleString("en")} failed`,
    result.unknown && `${result.unknown.toLocaleString("en")} without a result`,
    result.pass && `${result.pass.toLocaleString("en")} passed`,
  ].filter(Boolean).join(", ");
}

export const resultTone = ({ result }: Pick<ActiveRun, "result">): Said["tone"] => (result.fail ? "fail" : result.unknown ? "warn" : result.pass ? "ok" : "");

/** What the tests over groups of one run say, in sentences; what is wrong leads. */
export interface Told {
  /** The adapters and kinds of test it holds for. */
  where: string;
  lines: { tone: Said["tone"]; text: string }[];
}

const listed = (names: string[]): string => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

function linesOf({ bad, switches, undecided }: Conclusion): Told["lines"] {
  const lines: Told["lines"] = [];
  for (const [name, behind] of Object.entries(switches)) {
    lines.push({ tone: "fail", text: `The switch ${name} is bad${behind.length ? `: ${listed(behind)} behind it fail because of it` : ": the ways out of it fail, and what is behind it works"}.` });
  }
  if (bad.length === 1) lines.push({ tone: "fail", text: `${bad[0]} is bad: it fails with others that pass without it.` });
  if (bad.length > 1) lines.push({ tone: "fail", text: `${listed(bad)} are bad: each fails with others that pass without it.` });
  for (const [name, reason] of Object.entries(undecided)) lines.push({ tone: "warn", text: `${name} is not decided: ${reason}.` });
  if (!lines.length) lines.push({ tone: "ok", text: "Nothing bad was found." });
  return lines;
}

/** Adapters that say the same are told together: a run over eight of them is one sentence when all is well. */
export function conclusionTold(conclusion: Record<string, Conclusion>, kinds: ActiveKind[] | null): Told[] {
  const found = new Map<string, { where: Map<string, string[]>; lines: Told["lines"] }>();
  for (const [track, said] of Object.entries(conclusion)) {
    const lines = linesOf(said);
    const [adapter, kind] = track.includes(" ") ? track.split(" ", 2) : ["", track];
    const key = JSON.stringify(lines);
    const same = found.get(key) ?? { where: new Map<string, string[]>(), lines };
    const title = kindTitle(kinds, kind!);
    same.where.set(title, [...(same.where.get(title) ?? []), ...(adapter ? [adapter] : [])]);
    found.set(key, same);
  }
  const rank = (told: Told) => (told.lines.some((line) => line.tone === "fail") ? 0 : told.lines.some((line) => line.tone === "warn") ? 1 : 2);
  const placed = ([title, adapters]: [string, string[]]) => (adapters.length ? `${title} over ${listed(adapters)}` : title);
  return [...found.values()].map(({ where, lines }) => ({ where: [...where].map(placed).join("; "), lines })).sort((a, b) => rank(a) - rank(b));
}

export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** `Saturdays 22:00 to 06:00 the next day (UTC)`. */
export function windowWords(window: Pick<ActiveWindow, "weekday" | "from" | "to">): string {
  const over = window.to <= window.from ? " the next day" : "";
  return `${DAYS[window.weekday]}s ${window.from.slice(0, 5)} to ${window.to.slice(0, 5)}${over} (UTC)`;
}

export function minutesWords(minutes: number): string {
  return minutes < 90 ? `about ${plural(Math.max(1, Math.round(minutes)), "minute")}` : `about ${plural(Math.round(minutes / 60), "hour")}`;
}

/** Whether automation does what it plans, or only says so. */
export const MODE = toned(words.AutomationMode, { on: "ok" });

// ---- scheduler ----

export const SCHEDULER_STATE = toned(words.SchedulerState, { never: "warn", good: "ok", stale: "warn", failed: "fail" });

const DISAGREEMENT = toned(words.DisagreementKind, { drained_without_ticket: "warn", closed_still_drained: "warn", bad_allocated: "fail", facts_differ: "warn", not_read: "fail" });
export const disagreementSaid = (kind: string): Said => (DISAGREEMENT as Partial<Record<string, Said>>)[kind] ?? { word: humanise(kind), tone: "", says: "" };

// ---- remediation ----

const GUARD = wordsOf(words.Guard);
export const guardWord = (guard: string): string => wordFor(GUARD, guard);

export const ACTION_STATE = toned(words.ActionState, { granted: "accent", sent: "accent", confirmed: "ok", failed: "fail", ambiguous: "warn" });

/** Whether a remedy that was carried out helped; null for one that was not. */
export function helpedSaid({ state, verified }: Pick<Action, "state" | "verified">): Said | null {
  if (state !== "confirmed") return null;
  if (verified === null) return { word: "Being verified", tone: "", says: "" };
  return verified ? { word: "It helped", tone: "ok", says: "The verification passed." } : { word: "It did not help", tone: "fail", says: "The verification failed." };
}

/** What a remedy does, in one sentence. */
export const doesWords = ({ remedy, dark }: Pick<Offer, "remedy" | "dark">): string =>
  (words.RemedyName as Partial<Record<string, { says: string }>>)[remedy]?.says ?? (dark ? "Takes the machine down for a while." : "Leaves the machine up.");

/** What a person sets going with a remedy, step by step. */
export function whatHappens({ title, deadline_s, verification }: Pick<Offer, "title" | "deadline_s" | "verification">): string[] {
  return [
    "A last check of the machine and its scheduler. While a job or a reservation of others is there, or somebody is logged in, nothing is sent.",
    `${title}: at most ${minutesWords(deadline_s / 60).replace("about ", "")} until its effect is seen.`,
    `A verification: ${verification}.`,
    "When it passes, the machine goes back to work unless something holds it; otherwise it is left to people.",
  ];
}

export type Stands = "done" | "now" | "bad" | "unsure" | "open";
export const STEP_LOOK: Record<Stands, Cell> = { done: "allocated", now: "provisioning", bad: "failed", unsure: "suspect", open: "available" };
export const STEP_WORD: Record<Stands, string> = { done: "done", now: "in progress", bad: "not well", unsure: "not known", open: "not begun" };

export interface ActionStep {
  word: string;
  stands: Stands;
  /** What one should know while the action is here. */
  says: string;
  at: string | null;
}

const sentence = (text: string): string => (text ? `${text[0]!.toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}` : "");

/** How far an action came, as four steps. */
export function actionSteps(action: Action): ActionStep[] {
  const { state, verified, result, refused_by, refused_reason } = action;
  const held = refused_by ? `${guardWord(refused_by)}: ${refused_reason}.` : "";
  const wasSent = state === "sent" || state === "confirmed" || state === "failed" || state === "ambiguous";
  const helped = helpedSaid(action);
  return [
    { word: "Planned", stands: "done", says: ACTION_STATE.planned.says, at: action.planned_at },
    {
      word: "Sent",
      stands: state === "cancelled" ? "bad" : wasSent ? "done" : state === "granted" ? "now" : "open",
      says: state === "granted" ? "A worker checks the machine once more before it is sent." : state === "cancelled" ? `It was not sent. ${held || sentence(result)}` : "",
      at: action.sent_at,
    },
    {
      word: "Carried out",
      stands: state === "sent" ? "now" : state === "confirmed" ? "done" : state === "failed" ? "bad" : state === "ambiguous" ? "unsure" : "open",
      says: `${ACTION_STATE[state].says} ${state === "sent" ? "" : sentence(result)}`.trim(),
      at: state === "sent" ? null : wasSent ? action.finished_at : null,
    },
    {
      word: "Verified",
      stands: helped === null ? "open" : verified === null ? "now" : verified ? "done" : "bad",
      says: verified === null ? "The verification decides whether it helped." : (helped?.says ?? ""),
      at: null,
    },
  ];
}

/** Whether automation of a site does nothing at present, and why; null while it may. */
export function stoppedWords({ killed, killed_by, killed_reason, breaker }: Pick<Automation, "killed" | "killed_by" | "killed_reason" | "breaker">): Said | null {
  if (killed) return { word: "Automation is stopped", tone: "warn", says: `By ${killed_by}: ${killed_reason}` };
  if (breaker.open) return { word: "Automation's circuit breaker is open", tone: "warn", says: breaker.reason };
  return null;
}

/** Where an incident stands, in one tag. */
export function standsAt(incident: Pick<Incident, "closed_at" | "closed_by" | "needs_person_at" | "refused_by" | "automation_first">): Said {
  if (incident.closed_at) return { word: "Closed", tone: "", says: `By ${incident.closed_by}.` };
  if (incident.needs_person_at) return { word: "A person was asked", tone: "warn", says: "Automation leaves it alone from here on." };
  if (incident.refused_by) return { word: guardWord(incident.refused_by), tone: "", says: "What held automation back last." };
  if (incident.automation_first) return { word: "Automation works on it", tone: "accent", says: "A ticket opens when it cannot help." };
  return { word: "A person works on it", tone: "", says: "Its remedies are dry runs." };
}

export const INCIDENT_KIND = wordsOf(words.MachineIncidentKind);

export const remedyTitle = (remedies: Remedy[] | null, name: string): string => remedies?.find((remedy) => remedy.name === name)?.title ?? humanise(name);

/** What the next step of a machine is, as one would say it. */
export function stepWords(row: PlanRow, remedies: Remedy[] | null): string {
  if (row.step === null) return "Nothing now";
  return row.remedy ? remedyTitle(remedies, row.remedy) : words.PlanStep[row.step].word;
}

/** Whether the step would be done at once, shown only, or is held up, with its tone. */
export function planSaid(row: PlanRow): Said {
  if (row.allowed) return { word: "Now", tone: "ok", says: "Nothing stands in the way." };
  return { word: guardWord(row.refused_by ?? ""), tone: row.refused_by === "dry_run" ? "accent" : "warn", says: row.refused_reason };
}

/** What the breaker counts; `?` where it is not known. */
export function countsWords({ refused_1h, ambiguous, failed_verifications, drained, size }: Automation["breaker"]["counts"]): string {
  const failed = failed_verifications === null ? "? machines" : plural(failed_verifications, "machine");
  return `${refused_1h ?? "?"} refused in an hour, ${ambiguous ?? "?"} ambiguous, verifications of ${failed} failed in a row, ${drained ?? "?"} of ${size ?? "?"} drained lately.`;
}

const times = (count: number | null, what: string): string => (count === null ? `? ${what}s` : plural(count, what));

/** How fast machines of a pool were taken out. */
export const paceWords = (budget: Pick<Budget, "drains_10min" | "drains_1h">): string =>
  `${times(budget.drains_10min, "drain")} in ten minutes, ${budget.drains_1h ?? "?"} in an hour.`;

export function budgetWords(budget: Budget): string {
  if (budget.size === null || budget.unavailable === null) return "not known: nothing is drained";
  if (budget.stale) return "no machine reachable for too long: nothing is drained";
  return `${budget.unavailable.toLocaleString("en")} of ${budget.size.toLocaleString("en")} out, ${budget.max_unavailable.toLocaleString("en")} may be`;
}

const SHORT = DAYS.map((day) => day.slice(0, 3));

/** `Mon, Tue 22:00 to 06:00`; every day is said as such. */
export function hoursWords(hours: Pick<AllowedHours, "weekdays" | "from_time" | "to_time">): string {
  const days = SHORT.filter((_, i) => hours.weekdays & (1 << i));
  const said = days.length === DAYS.length ? "Every day" : days.join(", ");
  return `${said} ${hours.from_time.slice(0, 5)} to ${hours.to_time.slice(0, 5)}`;
}
