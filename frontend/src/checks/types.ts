/** Shapes of the API of checks, field for field. */
import type { Verdict } from "../api/types.ts";

// ---- catalogue ----

export interface CatalogueItem {
  id: string;
  family: string;
  title: string;
  /** gpu, hca, nvme, psu, mount or machine. */
  part: string;
  kind: "level" | "event";
  needs: string;
  severity: string;
  /** The least intrusive remedy that automation would begin with. */
  start_rung: number;
  advice: string;
  source: string;
  thresholds: Record<string, number>;
  fault_classes: string[];
  observe_only: boolean;
  /** How many are in force. */
  overrides: number;
  silences: number;
  /** Machines at which it fails, and at which it is not known. */
  failing: number;
  unknown: number;
}

export interface Sample {
  verdict: Verdict;
  /** The command that printed it. */
  name: string;
  excerpt: string;
}

export interface CatalogueDetail extends Omit<CatalogueItem, "overrides" | "silences"> {
  samples: Sample[];
  overrides: Override[];
  silences: Silence[];
}

// ---- what people decided about checks ----

export type Scope = "site" | "model" | "machine";

export interface Named {
  id: number;
  name: string;
}

/** Who decided something, why, and until when. */
export interface Decision {
  id: number;
  check: string;
  reason: string;
  owner: string;
  expires_at: string | null;
  created_by: string;
  created_at: string;
  ended_at: string | null;
  ended_by: string;
  /** Neither ended nor expired. */
  active: boolean;
}

interface Scoped extends Decision {
  scope: Scope;
  /** Ids. A machine's decision has the machine's site as well. */
  site: number | null;
  model: number | null;
  machine: number | null;
  /** Name of the site, model or machine. */
  about: string;
}

/** Limits that differ from the check's own. */
export interface Override extends Scoped {
  thresholds: Record<string, number>;
}

/** A check that says nothing to people and opens no fault; its verdicts are kept. */
export interface Silence extends Scoped {
  part: string;
}

/** A check that is shown and opens no fault. */
export interface ObserveOnly extends Decision {
  /** Null: at all sites. */
  site: number | null;
}

// ---- matrix ----

export interface MatrixDocument {
  checks: { id: string; title: string; family: string }[];
  /** `cells`: a letter for each check: f u w i o, and a dot where nothing was judged. */
  machines: { id: number; name: string; state: string; cells: string }[];
  /** Machines on all pages. */
  count: number;
  page: number;
  pages: number;
}

// ---- sweeps ----

export type SweepStatus = "running" | "finished" | "late";

export interface Sweep {
  id: number;
  site: number;
  kind: "scheduled" | "confirm" | "verification" | "manual";
  status: SweepStatus;
  started_at: string;
  finished_at: string | null;
  duration_s: number | null;
  machines: number;
  heard: number;
  /** Machines of the shares that are done. */
  looked_at: number;
  shards_total: number;
  shards_done: number;
  shards_failed: number;
  requested_by: string;
}

export interface SweptMachine extends Named {
  state: string;
  heard: string;
  heard_at: string | null;
}

export interface SweepDetail extends Sweep {
  shards: {
    number: number;
    status: "waiting" | "running" | "done" | "failed";
    attempts: number;
    machines: number;
    heard: number;
    started_at: string | null;
    finished_at: string | null;
    error: string;
  }[];
  /** Were looked at and gave no answer. */
  silent: SweptMachine[];
  /** Nobody came to look at. */
  unfinished: SweptMachine[];
}

export interface SweepState {
  period_s: number;
  heard: Record<"heard" | "late" | "silent" | "never", number>;
  swept: number;
  not_swept: number;
}

// ---- lines of the kernel log ----

export type LineState = "new" | "accepted" | "bad";

export interface KernelLine {
  id: number;
  site: number;
  model: { id: number; slug: string; name: string };
  image: string;
  /** The line with numbers and addresses taken out. */
  shape: string;
  example: string;
  first_seen: string;
  last_seen: string;
  /** Machines that printed it, and the first few by name. */
  machines: { count: number; names: string[] };
  state: LineState;
  verdict: Verdict | "";
  reason: string;
  owner: string;
  expires_at: string | null;
}

/** What runs on machines of one model: their lines are judged together. */
export interface KernelImage {
  id: number;
  image: string;
  /** Kinds that the newest sweep with too many of them did not list. */
  dropped: number;
}

// ---- a machine's timeline ----

export type Lane = "verdicts" | "states" | "actions" | "tickets" | "firmware" | "jobs";

export interface TimelineItem {
  at: string;
  /** Null for what happened at one moment, or still lasts. */
  until: string | null;
  kind: string;
  title: string;
  detail: string;
  link: string;
}

export interface Timeline {
  from: string;
  to: string;
  /** Newest first. `more`: there were more than are here. */
  lanes: { lane: Lane; items: TimelineItem[]; more: boolean }[];
}
