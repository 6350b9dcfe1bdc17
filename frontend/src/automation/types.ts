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
  /** By adapter and kind of test, `mlx5_0 ib_write_bw`; empty for tests of single machines. */
  conclusion: Record<string, Conclusion>;
}

/** `switches` are bad, each with the machines behind it; `undecided` says of each machine or switch why. */
export interface Conclusion {
  bad: string[];
  switches: Record<string, string[]>;
  undecided: Record<string, string>;
}

export interface ActiveFinding {
  check: string;
  part: string;
  /** Missing in results of before it was kept. */
  part_text?: string;
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
  about: string[];
  partners: string[];
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
  credential: string | null;
  certificate: string;
  machine: number | null;
  ssh_address: string;
  ssh_credential: string | null;
  ssh_identity: string;
  local: boolean;
  sudo: boolean;
  partition: string;
  roles: string[];
  names: Record<string, string>;
  period_s: number;
  stale_after_s: number;
  settle_s: number;
  state: "never" | "good" | "stale" | "failed";
  message: string;
  tried_at: string | null;
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
  site: number;
  source: number;
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
  reason_at: string | null;
  cpus: number | null;
  memory_mb: number | null;
  gpus: number | null;
  reservation: string;
  reserved_from: string | null;
  reserved_until: string | null;
  since: string;
  wish: Wish | null;
}

/** What we want of the scheduler for one machine; `theirs`: owned by somebody else. */
export interface Wish {
  want: "drain" | "resume";
  status: "waiting" | "done" | "theirs";
  reason: string;
  tries: number;
  error: string;
  wished_at: string;
  done_at: string | null;
}

// ---- remediation ----

export interface Automation {
  site: number;
  killed: boolean;
  killed_by: string;
  killed_reason: string;
  killed_at: string | null;
  breaker: {
    open: boolean;
    reason: string;
    opened_at: string | null;
    closed_by: string;
    closed_at: string | null;
    close_reason: string;
    counts: { refused_1h: number | null; ambiguous: number | null; failed_verifications: number | null; drained: number | null; size: number | null };
  };
  budgets: Budget[];
  limits: Record<string, number>;
  power: { open: number | null; actions_1h: number | null; last_at: string | null };
  waiting: { incident: number; machine: number; name: string; guard: string; since: string }[];
  at: string;
}

/** A number of the guards at a site; `unit` is "share" for what is 0 to 1. */
export interface Limit {
  name: string;
  group: string;
  title: string;
  unit: string;
  value: number;
  default: number;
  low: number;
  high: number;
}

/** A pool and what automation may still take out of it; null where it is not known. */
export interface Budget {
  pool: number;
  name: string;
  automation: "dry_run" | "on";
  size: number | null;
  unavailable: number | null;
  stale: boolean | null;
  share: number;
  by_share: number;
  min_unavailable: number;
  min_unavailable_from: number;
  cap: number;
  left: number;
  /** How `cap` and `left` come about, in words. */
  reason: string;
  drains_10min: number | null;
  drains_1h: number | null;
}

export interface PlanRow {
  machine: { id: number; name: string; state: string };
  incident: number | null;
  fault: { id: number; text: string } | null;
  checks: string[];
  step: "drain" | "remedy" | "person" | null;
  remedy: string | null;
  rung: number | null;
  mode: "dry_run" | "on" | null;
  reason: string;
  allowed: boolean;
  refused_by: string | null;
  refused_reason: string;
  frees: string;
  next: string | null;
}

export interface Remedy {
  name: string;
  rung: number;
  title: string;
  preconditions: string[];
  needs_drain: boolean;
  idempotent: boolean;
  intrusive: boolean;
  deadline_s: number;
  verification: string;
  next: string;
  available: boolean;
}

export interface RemedySwitch {
  id: number;
  check: string;
  remedy: string;
  site: number | null;
  mode: "dry_run" | "on";
  by: string;
  reason: string;
  at: string;
}

export type ActionState = "planned" | "granted" | "sent" | "confirmed" | "failed" | "ambiguous" | "cancelled";

export interface Action {
  id: number;
  key: string;
  machine: { id: number; name: string };
  incident: number;
  fault: number | null;
  check: string;
  rung: number;
  remedy: string;
  attempt: number;
  params: Record<string, unknown>;
  state: ActionState;
  planned_by: string;
  reason: string;
  refused_by: string;
  refused_reason: string;
  planned_at: string;
  granted_at: string | null;
  sent_at: string | null;
  finished_at: string | null;
  deadline: string | null;
  report: string;
  result: string;
  verified: boolean | null;
  evidence: Record<string, unknown>;
}

/** A remedy that a person may start on one machine, or what stands in its way. */
export interface Offer {
  remedy: string;
  title: string;
  rung: number;
  allowed: boolean;
  refused_by: string | null;
  refused_reason: string;
  /** What would change the answer, such as `when it is drained`. */
  frees: string;
  /** What it can be done to; empty: the machine itself. */
  parts: string[];
  /** Those its faults point to, taken when none is named. */
  suggested: string[];
  /** It takes the machine down for a while. */
  dark: boolean;
  deadline_s: number;
  verification: string;
}

export interface Incident {
  id: number;
  site: number;
  kind: "machine" | "shared";
  machine: { id: number; name: string } | null;
  cause_kind: string;
  cause: string;
  cause_words: string;
  fault_class: string;
  code: string;
  title: string;
  text: string;
  drained: boolean;
  suspect_until: string | null;
  lifted_by: string;
  lift_reason: string;
  verify_by: string | null;
  automation_first: boolean;
  needs_person_at: string | null;
  needs_person_reason: string;
  refused_by: string;
  opened_at: string;
  closed_at: string | null;
  closed_by: string;
  close_reason: string;
}

export interface IncidentDetail extends Incident {
  faults: { id: number; machine: { id: number; name: string }; slot: string; slot_text: string; fault_class: string; message: string; status: string }[];
  actions: Action[];
  machines: { id: number; name: string; rack: string | null; joined_at: string; recovered_at: string | null }[];
}

export interface Stuck {
  machine: { id: number; name: string };
  state: string;
  since: string;
  limit_s: number;
  over_since: string;
}

/** Weekly hours by the site's clock; `weekdays` is the sum of 1 Monday, 2 Tuesday .. 64 Sunday. */
export interface AllowedHours {
  id: number;
  site: number;
  weekdays: number;
  from_time: string;
  to_time: string;
  rungs: number[];
  by: string;
  reason: string;
}

// ---- pools ----

/** A pool's policy: how many of its machines may be out, and whether a person declared that nothing schedules them. */
export interface Pool {
  id: number;
  site: number;
  role: string;
  model: string;
  max_unavailable_share: number;
  automation: "dry_run" | "on";
  no_scheduler: boolean;
  no_scheduler_by: string;
  no_scheduler_at: string | null;
  size: number;
  unavailable: number;
  allowance: number;
}
