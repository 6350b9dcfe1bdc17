/** How jobs of a scheduler are shown: sizes, limits, why one waits. Pure. */
import * as words from "../api/generated/words.ts";
import type { SchedulerJob, WaitingJob } from "../api/shapes.ts";
import { humanise, plural } from "../text.ts";
import { span } from "../util/time.ts";

type Named = Pick<SchedulerJob | WaitingJob, "label" | "name" | "component">;

export const numberOf = (job: Named): string => (job.component === null ? job.label : `${job.label}+${job.component}`);

export const titleOf = (job: Named): string => job.name || `Job ${numberOf(job)}`;

/** `16 GPUs`; a dash where the scheduler does not say. */
export const gpusText = (gpus: number | null): string => (gpus === null ? "–" : plural(gpus, "GPU"));

export const limitText = (seconds: number | null): string => (seconds === null ? "none" : span(seconds));

/** What is left of its time: `2 h 5 min`, or that the limit has passed. */
export function leftText(endsBy: string | null, nowMs: number): string {
  if (endsBy === null) return "no limit";
  const left = (Date.parse(endsBy) - nowMs) / 1000;
  return left > 0 ? span(left) : "past its limit";
}

export function ranFor(job: Pick<SchedulerJob, "started_at" | "ended_at">, nowMs: number): string {
  const end = job.ended_at ? Date.parse(job.ended_at) : nowMs;
  return span(Math.max(0, end - Date.parse(job.started_at)) / 1000);
}

/** Null: names are not given out to the reader; empty: the scheduler does not say. */
export const userText = (user: string | null): string => (user === null ? "not shown to you" : user || "–");

const BAD = ["failed", "node_fail", "boot_fail", "launch_failed", "out_of_memory"];
const HALF = ["timeout", "preempted", "deadline", "cancelled", "requeued"];

export function toneOf(state: string): "fail" | "warn" | "ok" | "accent" | "" {
  if (BAD.includes(state)) return "fail";
  if (HALF.includes(state)) return "warn";
  if (state === "completed") return "ok";
  return state === "unknown" ? "" : "accent";
}

const STATE_WORD: Record<string, string> = { node_fail: "Machine failed", boot_fail: "Did not boot", unknown: "End not seen", timeout: "Time limit" };
export const stateText = (state: string): string => STATE_WORD[state] ?? humanise(state);

/** What the scheduler does with a machine. A node of Kubernetes is cordoned, and what runs on it goes on. */
export function viewText({ state, words: own }: { state: keyof typeof words.SchedulerView; words: string }): string {
  if (!own.split("+").includes("cordoned")) return words.SchedulerView[state].word;
  return state === "drained" ? "Cordoned" : `${words.SchedulerView[state].word}, cordoned`;
}

/** Slurm's and Kubernetes' words for why a job waits, in those of people. Words that are not here are shown as they are. */
const WHY: Record<string, string> = {
  Priority: "Others come first",
  Resources: "Not enough free machines",
  Dependency: "Waits for another job",
  BeginTime: "Its time has not come",
  JobHeldUser: "Held by its user",
  JobHeldAdmin: "Held by an administrator",
  PartitionDown: "Its partition is down",
  PartitionInactive: "Its partition is inactive",
  PartitionTimeLimit: "Longer than its partition allows",
  PartitionNodeLimit: "Larger than its partition allows",
  ReqNodeNotAvail: "Machines that it needs are not available",
  Reservation: "Waits for its reservation",
  Licenses: "Waits for a licence",
  QOSMaxGRESPerUser: "Its user runs as many GPUs as allowed",
  QOSMaxJobsPerUserLimit: "Its user runs as many jobs as allowed",
  AssocGrpGRES: "Its account runs as many GPUs as allowed",
  JobArrayTaskLimit: "As many tasks of its array as allowed run",
  NodeDown: "A machine that it needs is down",
  BadConstraints: "No machine is as it asks",
  Unschedulable: "No machine has room for it",
  SchedulingGated: "Waits until its queue admits it",
  Suspended: "Suspended, such as by its queue",
};
export const whyText = (why: string): string => WHY[why] ?? WHY[why.split(",")[0]!] ?? (why || "Not said");
