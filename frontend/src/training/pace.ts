/** How training runs and their ranks are shown: tones, durations, which rank stands first. */
import { FailureOwner, PaceReference, RunFoundBy, TrainingRunState } from "../api/generated/words.ts";
import type { RunPace, RunRank, TrainingRun } from "../api/shapes.ts";
import { toned } from "../text.ts";
import { span } from "../util/time.ts";

export const STATE = toned(TrainingRunState, {
  failed: "fail",
  hung: "fail",
  slow: "warn",
  unknown: "warn",
  running: "accent",
  completed: "ok",
});

export const ownerWord = (owner: string | null): string =>
  owner === null ? "Not known" : FailureOwner[owner as keyof typeof FailureOwner].word;

/** What is to be said of a run without a verdict. */
export function withoutVerdict(run: Pick<TrainingRun, "state" | "speed" | "found_by" | "steps_from">): string {
  if (run.state === "completed") return "Ended as it should.";
  if (run.state === "running" && run.speed !== null && run.speed < 0.95) return "Below its own pace.";
  if (run.state === "running" && !run.found_by.includes("report") && run.steps_from === "") return "It runs; its steps are not reported.";
  if (run.state === "running") return run.speed === null ? "Its own pace is not known yet." : "At its own pace.";
  return STATE[run.state].says ?? "";
}

export const titleOf = (run: Pick<TrainingRun, "name" | "key">): string => run.name || run.key;

/** What stands under the name of a run: its attempt and job, where they say more than the name. */
export function about(run: Pick<TrainingRun, "name" | "key" | "attempt" | "repeat" | "job" | "user">): string {
  const parts = [];
  if (run.attempt) parts.push(`attempt ${run.attempt + 1}`);
  if (run.repeat) parts.push(`started again ${run.repeat === 1 ? "once" : `${run.repeat} times`}`);
  if (run.job) parts.push(`job ${run.job}`);
  else if (run.name) parts.push(run.key);
  if (run.user) parts.push(run.user);
  return parts.join(" · ");
}

/** "Found by scheduler and processes": how it is known that there is this run. */
export function foundText(run: Pick<TrainingRun, "found_by">): string {
  const found = run.found_by.filter((by) => by !== "report").map((by) => RunFoundBy[by].word.toLowerCase());
  const parts: string[] = run.found_by.includes("report") ? [RunFoundBy.report.word] : [];
  if (found.length) parts.push(`${parts.length ? "found" : "Found"} by ${found.join(" and ")}`);
  return parts.join(", ");
}

/** "running", "failed, exit status 1", "timeout, signal 15": the scheduler's own words. */
export function endOfJob(job: NonNullable<TrainingRun["scheduler"]>): string {
  const parts = [job.state.replaceAll("_", " ")];
  if (job.exit_status) parts.push(`exit status ${job.exit_status}`);
  if (job.signal) parts.push(`signal ${job.signal}`);
  if (job.why) parts.push(job.why);
  return parts.join(", ");
}

export function ranFor(run: Pick<TrainingRun, "started_at" | "ended_at">, nowMs: number): string {
  const end = run.ended_at ? Date.parse(run.ended_at) : nowMs;
  return span(Math.max(0, end - Date.parse(run.started_at)) / 1000);
}

/** "71 %" of the run's own baseline; a dash where it has none yet. */
export const speedText = (speed: number | null): string => (speed === null ? "–" : `${Math.round(speed * 100)} %`);

/** "2.31 s", "98 ms". */
export function stepText(seconds: number | null): string {
  if (seconds === null) return "–";
  return seconds < 0.9995 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(2)} s`;
}

export type Mark = "cause" | "failed" | "slow" | "late" | "";

/** What a rank is marked as; `typical` is the median of computing over all ranks. */
export function markOf(rank: RunRank, cause: number | null, typical: number | null, lastStep: number | null): Mark {
  if (rank.rank === cause) return "cause";
  if (rank.failed) return "failed";
  if (typical && rank.compute_s !== null && rank.compute_s >= typical * 1.1) return "slow";
  if (lastStep !== null && rank.step !== null && rank.step < lastStep) return "late";
  return "";
}

const ORDER: Record<Mark, number> = { cause: 0, failed: 1, slow: 2, late: 3, "": 4 };
export const MARK_WORD: Record<Exclude<Mark, "">, string> = {
  cause: "First cause",
  failed: "Failed",
  slow: "Slow",
  late: "Behind",
};

export function typicalOf(ranks: readonly RunRank[]): number | null {
  const told = ranks.map((rank) => rank.compute_s).filter((value) => value !== null).sort((a, b) => a - b);
  return told.length ? told[Math.floor(told.length / 2)]! : null;
}

/** The worst first, then by number. */
export function worstFirst(ranks: readonly RunRank[], mark: (rank: RunRank) => Mark): RunRank[] {
  return [...ranks].sort((a, b) => ORDER[mark(a)] - ORDER[mark(b)] || a.rank - b.rank);
}

/** Where the curve changed, to be drawn on it. */
export function marksOf(pace: RunPace | null): { at: number; text: string }[] {
  const found = (pace?.hand_overs ?? []).map((row) => ({ at: Date.parse(row.at), text: row.came_name ? `${row.left_name} → ${row.came_name}` : `${row.left_name} left` }));
  if (!pace?.alarm) return found;
  if (pace.at) found.push({ at: Date.parse(pace.at), text: `${Math.round(pace.speed * 100)} %` });
  if (pace.until) found.push({ at: Date.parse(pace.until), text: "right again" });
  return found;
}

/** Until when a curve is drawn: to its last step, or a little further where a machine was replaced right after it. */
export function endOf(times: readonly string[], marks: readonly { at: number }[]): number {
  const [first, last] = [Date.parse(times[0]!), Date.parse(times[times.length - 1]!)];
  const near = marks.filter((mark) => mark.at > last && mark.at <= last + (last - first) / 5);
  return Math.max(last, ...near.map((mark) => mark.at));
}

/** "71 % of its own best pace, dips every 120 steps". */
export function measureText(pace: Pick<RunPace, "shape" | "speed" | "reference" | "period">): string {
  if (pace.shape === "none") return `Measured by ${PaceReference[pace.reference].word}.`;
  const parts = [`${Math.round(pace.speed * 100)} % of ${PaceReference[pace.reference].word}`];
  if (pace.period !== null) parts.push(`every ${Math.round(pace.period).toLocaleString("en")} steps`);
  return `${parts.join(", ")}.`;
}

/** "631 k", "1.24 M". */
export function rateText(perSecond: number | null): string {
  if (perSecond === null) return "–";
  if (perSecond >= 1e6) return `${(perSecond / 1e6).toPrecision(3)} M`;
  if (perSecond >= 1e3) return `${(perSecond / 1e3).toPrecision(3)} k`;
  return perSecond.toPrecision(3);
}
