/** Shapes of what the API says of a fleet over time, field for field. */

export interface MachineBrief {
  id: number;
  name: string;
}

// ---- trends ----

export type Bucket = "day" | "week";
export type What = "failures_by_part" | "failures_by_class" | "mtbf" | "mttr" | "availability";

/** `value` is null where nothing is known, which is not nought. */
export interface TrendPoint {
  at: string;
  value: number | null;
  count: number;
  base: number;
}

export interface TrendSeries {
  what: What;
  group: string;
  title: string;
  unit: string;
  points: TrendPoint[];
}

export interface Trends {
  from: string;
  to: string;
  bucket: Bucket;
  series: TrendSeries[];
}

// ---- machines that stand out ----

export interface LemonTerm {
  title: string;
  count: number | null;
  weight: number;
  points: number;
}

export interface Lemon {
  machine: MachineBrief;
  site: string;
  model: string;
  score: number;
  median: number;
  limit: number;
  peers: number;
  events: number;
  flagged: boolean;
  terms: Record<string, LemonTerm>;
}

export interface DriftRow {
  model: string;
  what: string;
  title: string;
  told: number;
  majority: string | null;
  share: number;
  values: Record<string, number>;
  golden: Record<string, number>;
  machines: (MachineBrief & { value: string })[];
}

export interface Golden {
  id: number;
  machine: MachineBrief;
  site: number;
  model: string;
  promoted_at: string;
  promoted_by: string;
  reason: string;
}

export interface Candidate {
  machine: MachineBrief;
  model: string;
  clean_since: string;
}

export interface SparesOfModel {
  model: string;
  machines: number;
  golden: number;
  spare_machines: number;
  not_told: number;
  parts: { kind: string; part_number: string; good: number }[];
}

// ---- who reports, and who watches ----

export type ReporterKind = "generic" | "nhc" | "alertmanager" | "agent";

export interface Reporter {
  id: number;
  site: number;
  name: string;
  kind: ReporterKind;
  checks: string[];
  stale_after_s: number;
  enabled: boolean;
  token_key: string;
  created_by: string;
  created_at: string;
  last_seen_at: string | null;
  refused: number;
}

export interface WatchdogProblem {
  kind: string;
  name: string;
  text: string;
  since: string | null;
  what_to_do: string;
}

export interface WatchdogSign {
  name: string;
  kind: string;
  site: number | null;
  last_at: string | null;
  limit_s: number;
  state: "ok" | "late" | "never" | "unknown" | "broken";
}

export interface Watchdog {
  ok: boolean;
  problems: WatchdogProblem[];
  checks: WatchdogSign[];
}
