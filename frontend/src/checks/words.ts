/** Checks in an operator's words. */
import * as words from "../api/generated/words.ts";
import { humanise, plural, type Said, type Tone, toned, wordsOf } from "../text.ts";
import { span } from "../util/time.ts";
import type { Sweep } from "./shapes.ts";

export const SEVERITY = toned(words.Severity, { critical: "fail", major: "warn" });
export const severity = (code: string): Said => (SEVERITY as Partial<Record<string, Said>>)[code] ?? { word: humanise(code), tone: "", says: "" };

/** The ladder from the least intrusive step up, by number. */
const RUNG_WORD: Partial<Record<number, string>> = wordsOf(words.RemediationLevel);

export const rungWord = (rung: number): string => RUNG_WORD[rung] ?? `Level ${rung}`;

const PART_WORD: Partial<Record<string, string>> = wordsOf(words.CheckedPart);
export const partWord = (part: string): string => PART_WORD[part] ?? part;

export const SCOPE_WORD = wordsOf(words.DecisionScope);

export const SWEEP_STATUS = toned(words.SweepStatus, { running: "accent", finished: "ok", late: "fail" });

export const SHARD_STATUS = toned(words.ShardStatus, { running: "accent", done: "ok", failed: "fail" });

export const SWEEP_KIND = wordsOf(words.SweepKind);

/** What a sweep came to, worse than its status where machines were missed. */
export function sweepTone(sweep: Sweep): Tone {
  if (sweep.status === "late" || sweep.shards_failed) return "fail";
  if (sweep.status === "running") return "accent";
  return sweep.reachable < sweep.machines ? "warn" : "ok";
}

export const REACHABILITY_WORD = toned(words.Reachability, { late: "warn", unreachable: "fail", never: "warn" });

/** What a sweep missed: `3 gave no answer, 64 not checked`; empty when it missed nothing. */
export function missedWords(sweep: Sweep): string {
  const silent = Math.max(0, sweep.checked - sweep.reachable);
  const left = sweep.status === "running" ? 0 : Math.max(0, sweep.machines - sweep.checked);
  return [
    silent && `${silent.toLocaleString("en")} gave no answer`,
    left && `${left.toLocaleString("en")} not checked`,
    sweep.shards_failed && `${plural(sweep.shards_failed, "share")} given up`,
  ].filter(Boolean).join(", ");
}

/** How often machines are checked; where sweeps take longer than was set, why it is less often. */
export function periodWords(now: { period_s: number; set_period_s: number; takes_s: number | null }): string {
  if (now.period_s <= now.set_period_s) return `every ${span(now.period_s)}`;
  const takes = now.takes_s === null ? "sweeps take longer" : `a sweep takes ${Math.round(now.takes_s)} s`;
  return `every ${Math.round(now.period_s)} s instead of ${Math.round(now.set_period_s)} s: ${takes} on this server`;
}

export const LINE_STATE = toned(words.KernelLineState, { new: "warn", accepted: "ok", bad: "fail" });

export const LANE_WORD = wordsOf(words.TimelineLane);

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
