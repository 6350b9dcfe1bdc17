/** Many check runs as a strip of fixed length: each bar is the worst that was seen in its share of the time. */
import type { CheckRun, Verdict } from "../api/shapes.ts";
import { VERDICTS } from "../text.ts";

export interface Bar {
  /** Start and end of the bar's share of time, milliseconds. */
  from: number;
  to: number;
  /** Null: no run in this time. */
  worst: Verdict | null;
  runs: number;
  fail: number;
  warn: number;
  unknown: number;
}

export function worstOf(verdicts: (Verdict | null)[]): Verdict | null {
  return VERDICTS.find((verdict) => verdicts.includes(verdict)) ?? null;
}

export function strip(runs: CheckRun[], bars: number, fromMs: number, toMs: number): Bar[] {
  const width = (toMs - fromMs) / bars;
  const result: Bar[] = Array.from({ length: bars }, (_, i) => ({
    from: fromMs + i * width,
    to: fromMs + (i + 1) * width,
    worst: null,
    runs: 0,
    fail: 0,
    warn: 0,
    unknown: 0,
  }));
  for (const run of runs) {
    const bar = result[Math.min(Math.floor((Date.parse(run.at) - fromMs) / width), bars - 1)];
    if (!bar) continue;
    bar.worst = worstOf([bar.worst, run.worst]);
    bar.runs += 1;
    bar.fail = Math.max(bar.fail, run.fail);
    bar.warn = Math.max(bar.warn, run.warn);
    bar.unknown = Math.max(bar.unknown, run.unknown);
  }
  return result;
}
