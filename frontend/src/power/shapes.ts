/** What the service answers about power and cooling, by short names. */

export interface Named {
  id: number;
  name: string;
}

/** Of a rack, a feed or a link, against its limit. */
export type LoadState = "ok" | "near" | "over" | "unknown";
export type Severity = "info" | "warn" | "bad";

export interface Finding {
  kind: string;
  title: string;
  severity: Severity;
  subject: { kind: string; id: number; name: string };
  text: string;
  todo: string;
  rack: Named | null;
  since: string | null;
}

// ---- the floor ----

export interface FloorRack extends Named {
  row: string | null;
  power_w: number | null;
  /** More is drawn than was measured. */
  at_least: boolean;
  known: number;
  of: number;
  peak_w: number | null;
  peak_at: string | null;
  planned_w: number | null;
  limit_w: number | null;
  /** Of the limit; 1 is all of it. */
  share: number | null;
  inlet_c: number | null;
  delta_t_c: number | null;
  hottest_gpu_c: number | null;
  /** GPUs whose clocks are held down now. */
  slowed: number | null;
  free_w: number | null;
  state: LoadState;
}

export interface FloorRow {
  name: string;
  power_w: number | null;
  at_least: boolean;
}

export interface PowerFloor {
  room: Named;
  at: string;
  inlet_c_limit: number | null;
  load_percent: number;
  racks: FloorRack[];
  rows: FloorRow[];
  total_w: number | null;
  at_least: boolean;
  pue: number | null;
  pue_at: string | null;
}

// ---- one rack ----

/** Where the watts of a rack come from: outlets of its PDUs, its BMCs, some of each, or nowhere. */
export type Method = "pdu" | "bmc" | "mixed" | "none";

export interface Current {
  name: string;
  current_a: number | null;
  limit_a: number | null;
  reason: string;
}

export interface RackFeed {
  feed: Named | null;
  side: string;
  pdu: Named;
  meter: { id: number; state: MeterState; message: string; read_at: string | null } | null;
  now_w: number | null;
  limit_w: number | null;
  capacity_w: number | null;
  share: number | null;
  machines: (Named & { watts: number | null })[];
  other_w: number | null;
  phases: Current[];
  breakers: Current[];
  carries_if_other_fails_w: number | null;
  holds: boolean | null;
}

export interface Height {
  from_u: number;
  to_u: number;
  kind: "machine" | "switch" | "other" | "panel" | "open";
  device: Named | null;
  inlet_c: number | null;
  exhaust_c: number | null;
  fan_rpm: number | null;
  power_w: number | null;
  state: "ok" | "warn" | "bad" | "unknown";
}

export interface ProfilePoint {
  u: number;
  inlet_c: number | null;
  /** With the open gap closed by a panel. */
  closed_c: number | null;
}

export interface Gap {
  from_u: number;
  to_u: number;
  panel_u: number;
  benefit_c: number | null;
  fan_w: number | null;
  machines: string[];
  text: string;
}

export interface RackPower {
  rack: Named & { row: string | null; room: Named; height_u: number };
  now_w: number | null;
  at_least: boolean;
  known: number;
  of: number;
  peak_w: number | null;
  peak_at: string | null;
  planned_w: number | null;
  limit_w: number | null;
  share: number | null;
  method: Method;
  feeds: RackFeed[];
  imbalance_percent: number | null;
  heights: Height[];
  profile: ProfilePoint[];
  inlet_recommended_c: number | null;
  gaps: Gap[];
  findings: Finding[];
}

/** Means, lows and highs of one value, a point every `step_s`; null where nothing was measured. */
export interface History {
  quantity: string;
  unit: string;
  begin: string;
  end: string;
  step_s: number;
  mean: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
}

export type RackQuantity = "power_w" | "inlet_c";

export interface Year {
  quantity: string;
  unit: string;
  first_day: string;
  /** 24 hours of each day. */
  days: (number | null)[][];
  low: number | null;
  high: number | null;
}

// ---- feeds ----

export interface FeedItem extends Named {
  side: string;
  panel: Named | null;
  now_w: number | null;
  at_least: boolean;
  limit_w: number | null;
  share: number | null;
  planned_w: number | null;
  state: LoadState;
}

export interface FeedLink extends Named {
  kind: "panel" | "feed" | "pdu" | "machine";
  detail: string;
  now_w: number | null;
  limit_w: number | null;
  share: number | null;
  state: LoadState;
}

export interface Carries extends Named {
  kind: string;
  carries_w: number | null;
  limit_w: number | null;
  share: number | null;
  trips: boolean | null;
}

export interface FeedPower {
  feed: Named & { side: string; voltage_v: number | null; current_a: number | null; phases: number | null };
  links: FeedLink[];
  machines: (Named & { now_w: number | null })[];
  if_fails: { text: string; carries: Carries[] };
}

// ---- energy ----

export type EnergyBy = "run" | "group" | "pool" | "rack" | "month" | "idle";

export interface EnergySum {
  kwh: number | null;
  at_least: boolean;
  cost: number | null;
  error_percent: number | null;
  /** Of the time and machines asked for: what was not measured. */
  unknown_share: number;
}

export interface EnergyRow extends EnergySum {
  key: string;
  name: string;
  machines: number | null;
  co2_kg: number | null;
  method: string;
}

export interface Energy {
  by: EnergyBy;
  begin: string;
  end: string;
  currency: string;
  tariff_per_kwh: number | null;
  co2_g_per_kwh: number | null;
  rows: EnergyRow[];
  total: EnergySum;
}

export interface PueHour {
  at: string;
  site_w: number | null;
  it_w: number | null;
  pue: number | null;
}

// ---- what if ----

export type QuestionKind = "feed_off" | "more_machines" | "inlet" | "full_load";

export interface WhatIfRack extends Named {
  state: LoadState;
  before: number | null;
  after: number | null;
}

export interface WhatIf {
  question: QuestionKind;
  text: string;
  unit: string;
  racks: WhatIfRack[];
  trips: { kind: string; id: number; name: string; carries_w: number | null; limit_w: number | null }[];
  slowed: Named[];
  lost: Named[];
  degraded: number;
  unknown: number;
}

// ---- meters, policy, proposals ----

export type MeterState = "never" | "ok" | "late" | "failed" | "refused";

export interface Meter {
  id: number;
  site: number;
  name: string;
  kind: string;
  device: Named | null;
  rack: Named | null;
  room: Named | null;
  address: string;
  credential: string | null;
  options: Record<string, unknown>;
  period_s: number;
  enabled: boolean;
  state: MeterState;
  message: string;
  read_at: string | null;
  values: number;
  unknown: number;
}

/** What is sent of a meter: places by their id. */
export interface MeterBody {
  site: number;
  name: string;
  kind: string;
  device: number | null;
  rack: number | null;
  room: number | null;
  address: string;
  credential: string | null;
  options: Record<string, unknown>;
  period_s: number;
  enabled: boolean;
}

export interface MeterValue {
  part: string;
  name: string;
  quantity: string;
  unit: string;
  value: number | null;
  reason: string;
}

export interface MeterValues {
  meter: number | Named;
  read_at: string | null;
  values: MeterValue[];
}

export interface Policy {
  id: number;
  load_percent: number;
  imbalance_percent: number;
  inlet_c: number;
  rise_c_per_min: number;
  tariff_per_kwh: number | null;
  currency: string;
  co2_g_per_kwh: number | null;
  /** Whether approved steps are carried out, or only written down. */
  acting: boolean;
}

export type ProposalState = "proposed" | "approved" | "dismissed" | "done";

export interface ProposalStep {
  order: number;
  action: string;
  target: string;
  text: string;
  reversible: boolean;
  state: string;
}

export interface Proposal {
  id: number;
  site: number;
  incident: number | null;
  text: string;
  steps: ProposalStep[];
  dry_run: boolean;
  state: ProposalState;
  created_at: string;
}
