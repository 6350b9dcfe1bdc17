/** Checks in an operator's words. */
import { humanise, plural, type Said, type Tone } from "../text.ts";
import { span } from "../util/time.ts";
import type { Lane, LineState, Scope, Sweep, SweepStatus } from "./types.ts";

export const SEVERITY: Record<string, Said> = {
  critical: { word: "Critical", tone: "fail", says: "Danger, or no work is possible." },
  major: { word: "Major", tone: "warn", says: "Work suffers." },
  minor: { word: "Minor", tone: "", says: "Somebody should check it." },
  note: { word: "Note", tone: "", says: "Only reported." },
};
export const severity = (code: string): Said => SEVERITY[code] ?? { word: humanise(code), tone: "", says: "" };

/** The ladder from the least intrusive step up, by number. */
const RUNG_WORD = ["A note", "Restart a service", "Reset the GPU", "Reboot", "Power-cycle", "Reimage", "A person at the machine", "Swap the part", "Retire"];

export const rungWord = (rung: number): string => RUNG_WORD[rung] ?? `Level ${rung}`;

const PART_WORD: Record<string, string> = { gpu: "each GPU", hca: "each network card", nvme: "each NVMe drive", psu: "each power supply", mount: "each file system", machine: "the machine" };
export const partWord = (part: string): string => PART_WORD[part] ?? part;

export const SCOPE_WORD: Record<Scope, string> = { site: "Site", model: "Model", machine: "Machine" };

export const SWEEP_STATUS: Record<SweepStatus, Said> = {
  running: { word: "Running", tone: "accent", says: "Machines are being checked." },
  finished: { word: "Finished", tone: "ok", says: "Every share of the machines was checked." },
  late: { word: "Cut off", tone: "fail", says: "It was closed before every share was done; the next sweep replaced it." },
};

export const SWEEP_KIND: Record<Sweep["kind"], string> = {
  scheduled: "By the clock",
  confirm: "Second check",
  verification: "Verification",
  manual: "On request",
};

/** What a sweep came to, worse than its status where machines were missed. */
export function sweepTone(sweep: Sweep): Tone {
  if (sweep.status === "late" || sweep.shards_failed) return "fail";
  if (sweep.status === "running") return "accent";
  return sweep.heard < sweep.machines ? "warn" : "ok";
}

export const HEARD_WORD: Record<"heard" | "late" | "silent" | "never", Said> = {
  heard: { word: "Reachable", tone: "", says: "Answered one of the last two sweeps." },
  late: { word: "Late", tone: "warn", says: "Missed two sweeps." },
  silent: { word: "Unreachable", tone: "fail", says: "Missed three sweeps or more: what is known of it is too old to be trusted." },
  never: { word: "Never reached", tone: "warn", says: "Has not answered yet." },
};

/** What a sweep missed: `3 gave no answer, 64 not checked`; empty when it missed nothing. */
export function missedWords(sweep: Sweep): string {
  const silent = Math.max(0, sweep.looked_at - sweep.heard);
  const left = sweep.status === "running" ? 0 : Math.max(0, sweep.machines - sweep.looked_at);
  return [
    silent && `${silent.toLocaleString("en")} gave no answer`,
    left && `${left.toLocaleString("en")} not checked`,
    sweep.shards_failed && `${plural(sweep.shards_failed, "share")} given up`,
  ].filter(Boolean).join(", ");
}

export const LINE_STATE: Record<LineState, Said> = {
  new: { word: "New", tone: "warn", says: "Not triaged yet." },
  accepted: { word: "Accepted", tone: "ok", says: "They say nothing of a fault until the day they were accepted for; then they are new again." },
  bad: { word: "Bad", tone: "fail", says: "Machines that print one of these are evaluated by it." },
};

export const LANE_WORD: Record<Lane, string> = {
  verdicts: "Verdicts",
  states: "States",
  actions: "Actions",
  tickets: "Tickets",
  firmware: "Parts and firmware",
  jobs: "Jobs",
};

/** `in 3 d`, `in 20 min`, `expired`; a decision without an end lasts. */
export function untilWord(iso: string | null, nowMs: number): string {
  if (!iso) return "until it is ended";
  const seconds = (Date.parse(iso) - nowMs) / 1_000;
  return seconds <= 0 ? "expired" : `${span(seconds)} left`;
}

export const SOON_S = 3 * 86_400;

/** Whether a decision ends within three days. */
export function endsSoon(iso: string | null, nowMs: number): boolean {
  if (!iso) return false;
  const seconds = (Date.parse(iso) - nowMs) / 1_000;
  return seconds > 0 && seconds < SOON_S;
}
