/** Shapes of what automation does, field for field. */

// ---- active checks ----

export interface ActiveOption {
  name: string;
  usual: number | boolean;
  least: number | null;
  most: number | null;
}

export interface ActiveKind {
  id: string;
  title: string;
  what: string;
  level: number;
  minutes: number;
  needs_idle: boolean;
  needs: "machine" | "pair" | "group";
  part: string;
  checks: string[];
  limits: Record<string, number>;
  options: ActiveOption[];
  source: string;
}

export type ActiveState = "planned" | "waiting" | "running" | "done" | "failed" | "cancelled";

export interface ActiveRun {
  id: number;
  site: number;
  kind: string;
  state: ActiveState;
  options: Record<string, unknown>;
  machines: number;
  progress: { done: number; total: number; stage: string };
  rounds: number;
  result: { pass: number; fail: number; unknown: number };
  results_count: number;
  window: number | null;
  must_end_at: string | null;
  reason: string;
  by: string;
  cancelled_by: string;
  message: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

export interface LeftOut {
  machine_id: number;
  name: string;
  reason: string;
}

export interface ActiveRunDetail extends ActiveRun {
  machine_names: string[];
  left_out: LeftOut[];
  conclusion: Record<string, unknown>;
}

export interface ActiveFinding {
  check: string;
  part: string;
  verdict: string;
  message: string;
}

export interface ActiveResult {
  id: number;
  round: number;
  number: number;
  kind: string;
  machines: string[];
  adapter: string;
  repeats: number | null;
  status: string;
  verdict: "" | "pass" | "fail" | "unknown";
  message: string;
  findings: ActiveFinding[];
  command: string;
  output: string;
  attempts: number;
  started_at: string | null;
  finished_at: string | null;
}

export interface ActivePlan {
  kind: string;
  options: Record<string, unknown>;
  machines: { machine_id: number; name: string; taken_out: boolean }[];
  left_out: LeftOut[];
  rounds: number;
  minutes: number;
}

export interface ActiveWindow {
  id: number;
  site: number;
  weekday: number;
  from: string;
  to: string;
  kinds: string[];
  enabled: boolean;
  started_at: string | null;
  created_by: string;
}

// ---- scheduler ----

export interface Scheduler {
  id: number;
  site: number;
  kind: "slurm" | "none";
  enabled: boolean;
  url: string;
  api_version: string;
  partition: string;
  period_s: number;
  stale_after_s: number;
  state: "never" | "good" | "stale" | "failed";
  message: string;
  last_read_at: string | null;
}

export interface Disagreement {
  kind: string;
  site: number;
  machine: number | null;
  name: string;
  text: string;
  since: string | null;
  details: Record<string, unknown>;
}

export interface SchedulerMachine {
  id: number;
  name: string;
  machine: number | null;
  our_name: string | null;
  our_state: string | null;
  state: string;
  words: string;
  closed: boolean;
  answers: boolean;
  jobs: number | null;
  reason: string;
  reason_by: string;
  since: string;
  wish: { want: "drain" | "resume"; status: "waiting" | "done" | "theirs"; reason: string; error: string } | null;
}
