/** Shapes of the fabric's answers. */
import type { Series } from "../util/chart.ts";
import type { TicketBrief } from "../api/types.ts";

export type SourceKind = "ibdiags" | "ufm" | "lldp" | "eapi" | "nvue" | "file";
/** `never` before the first look; everything but `ok` is a state of its own, neither healthy nor "all cables gone". */
export type SourceState = "never" | "ok" | "stale" | "empty" | "truncated" | "partial" | "failed" | "untrusted" | "held_back";

export interface SourceBrief {
  id: number;
  name: string;
  kind: SourceKind;
  state: SourceState;
  message: string;
  last_good_at: string | null;
}

export interface Source extends SourceBrief {
  site: number;
  fabric: "infiniband" | "ethernet";
  /** The machine whose tools are run; its address and key are those of access. */
  machine: number | null;
  address: string;
  /** Name of a stored credential. */
  credential: string | null;
  /** Host key or certificate kept at first contact; empty: take what is met next. */
  identity: string;
  options: Record<string, unknown>;
  /** The as-built plan it is compared with instead of the inventory's cables. */
  plan: number | null;
  enabled: boolean;
  period_s: number;
  stale_after_s: number;
  confirm_after_s: number;
  guard_percent: number;
  keep_days: number;
  tried_at: string | null;
}

export type DiscoveryStatus = "queued" | "reading" | "reconciling" | "storing" | "done" | "held_back" | "failed";

export interface Problem {
  where: string;
  line: number;
  text: string;
}

export interface Discovery {
  id: number;
  source: number;
  capture: number | null;
  status: DiscoveryStatus;
  progress: { done: number; total: number; stage: string };
  counts: Record<string, unknown>;
  problems: Problem[];
  /** Why the guard rejected it. */
  held_back: string | null;
  message: string;
  requested_by: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

export interface TierCount {
  tier: string;
  switches: number;
  expected: number;
  named: number;
  off: number;
}

export type LinkState = "correct" | "wrong" | "missing" | "dark" | "off" | "slow" | "extra" | "unknown";

export type LinkCounts = Record<LinkState | "planned", number>;

export interface Overview {
  sources: SourceBrief[];
  counts: Record<string, number>;
  tiers: TierCount[];
  findings: Partial<Record<FindingKind, number>>;
  links: LinkCounts;
}

/** The state a person should look at first, and how many links there are of each. */
export interface MatrixCell {
  state: LinkState;
  counts: Partial<Record<LinkState, number>>;
}

export interface Leaf {
  id: number;
  name: string;
  place: { room: string; row: string; rack: string; u: number | null };
  /** Leaves that share spines have the same number. */
  pod: number | null;
}

export interface Matrix {
  rails: number[];
  leaves: Leaf[];
  /** One row for each leaf, one cell for each rail; null where it has no such links. */
  cells: (MatrixCell | null)[][];
}

export type FindingKind =
  | "wrong_port"
  | "swapped_pair"
  | "cycle"
  | "chain"
  | "missing"
  | "extra"
  | "dark"
  | "crossed_lanes"
  | "area_off"
  | "device_off"
  | "exchanged_devices"
  | "device_at_other_place"
  | "duplicate_name"
  | "stranger"
  | "misnamed"
  | "slow_link"
  | "narrow_link"
  | "unnamed"
  | "adapter_names"
  | "plan_error"
  | "stale_ends";

export type FindingState = "new" | "open" | "closed" | "accepted";

export interface FindingItem {
  id: number;
  site: number;
  source: number;
  source_name?: string;
  kind: FindingKind;
  state: FindingState;
  severity: string;
  title: string;
  text: string;
  /** Names of the planned devices; of those in the inventory also ids, and the racks they stand in. */
  devices: string[];
  device_ids: number[];
  rack_ids: number[];
  cables: string[];
  /** Connector insertions that put it right. */
  move_count: number;
  first_seen_at: string;
  last_seen_at: string;
  opened_at: string | null;
  closed_at: string | null;
  accepted_at: string | null;
  accepted_by: string;
  accept_reason: string;
}

/** A port as a hand finds it. */
export interface End {
  device: string;
  port: number;
  device_id: number | null;
  port_id: number | null;
  port_name: string;
  cage: number | null;
  lane: number | null;
  /** `lower` or `upper` in a cage of two. */
  /** The lane in words; what was kept before it existed has none. */
  half?: string;
  place: string;
  rack_id: number | null;
}

/** One step. Without `put_into`: pull it and let it hang; without `take_from`: insert the hanging one. */
export interface Move {
  n: number;
  kind: string;
  cable: string;
  cables: string[];
  take_from: End | null;
  put_into: End | null;
  stays: End | null;
  /** Links that carry traffic, by their two ends: drained before. */
  drains: End[][];
  text: string;
}

/** A front that move `n` touches, with what to pull and what to plug into. */
export interface FacePicture {
  n: number;
  device: string;
  svg: string;
}

export interface FindingDetail extends FindingItem {
  moves: Move[];
  ports: End[];
  pictures: FacePicture[];
  checks: string[];
  evidence: Record<string, unknown>;
  /** The work order that puts it right. */
  ticket: TicketBrief | null;
  first_discovery: number | null;
  last_discovery: number | null;
}

export type NameState = "proposed" | "approved" | "written" | "confirmed" | "rejected" | "failed" | "gone";

export interface NameProposal {
  id: number;
  site: number;
  source: number;
  guid: string;
  reported: string;
  proposed: string;
  device: number | null;
  device_name: string | null;
  /** So many of the asked cables lead where the proposed name says; `margin` more than the next best. */
  agreeing: number;
  asked: number;
  margin: number;
  certain: boolean;
  evidence: Record<string, unknown>;
  state: NameState;
  message: string;
  reason: string;
  decided_by: string;
  decided_at: string | null;
  written_at: string | null;
}

export interface Misplaced {
  device_id: number;
  name: string;
  tier: string;
  place: string;
  name_of_place: string;
  place_of_name: string | null;
  /** What the fabric reports there. */
  seen_as: string | null;
}

export interface LinkEnd {
  device: string;
  device_id: number | null;
  guid: string;
  port: number;
  port_id: number | null;
  port_name: string;
  cage: number | null;
  lane: number | null;
  place: string;
}

/** An end as it was seen: the planned device in whose place it stands, or only what it reports. */
export interface SeenEnd {
  guid: string;
  port: number;
  device: string;
  device_id: number | null;
  reported: string;
}

export interface LinkAt {
  source: number;
  a: SeenEnd;
  b: SeenEnd;
  width: string;
  speed: string;
  since: string;
  until: string | null;
}

export interface LinksAt {
  time: string;
  count: number;
  page: number;
  page_size: number;
  results: LinkAt[];
}

export interface ChangedLink {
  source: number;
  a: SeenEnd;
  b: SeenEnd;
  width: string;
  speed: string;
  at: string;
}

export interface ChangedNode {
  source: number;
  guid: string;
  kind: string;
  reported: string;
  device: string;
  device_id: number | null;
  at: string;
}

interface Both<T> {
  before: T;
  after: T;
}

export interface FabricChanges {
  from: string;
  to: string;
  /** There is more than is told. */
  cut_off: boolean;
  links: { come: ChangedLink[]; gone: ChangedLink[]; moved: Both<ChangedLink>[]; rate: Both<ChangedLink>[] };
  nodes: { come: ChangedNode[]; gone: ChangedNode[]; changed: Both<ChangedNode>[] };
}

export interface SitePort {
  id: number;
  site: number;
  device: number;
  device_name: string;
  tier: string;
  name: string;
  cage: number | null;
  lane: number | null;
  speed_gbps: number | null;
  place: string;
  reserved: string | null;
}

export interface ReservedPort {
  id: number;
  port: number;
  port_name: string;
  device: number;
  device_name: string;
  owner: string;
  reason: string;
  until: string | null;
  created_at: string;
  created_by: string;
}

/** Length of cable between two racks or two rows; twice the same: within it. */
export interface LengthEntry {
  id: number;
  site: number;
  a_rack: number | null;
  b_rack: number | null;
  a_row: number | null;
  b_row: number | null;
  length_m: number | string;
}

export interface AsBuiltPlan {
  id: number;
  site: number;
  name: string;
  filename: string;
  cables: number;
  devices: number;
  note: string;
  created_at: string;
  created_by: string;
}

// ---- quality ----

/** The worst first. */
export type Judgement = "bad" | "unknown" | "watch" | "ok";

export interface LinkItem {
  id: number;
  /** Both ends. */
  key: string;
  site: number;
  source: number;
  /** By which the wiring and port actions know it. */
  link: string | null;
  a: LinkEnd;
  b: LinkEnd;
  cable: { id: number; label: string } | null;
  wiring: LinkState | null;
  width: string;
  speed: string;
  tier: string;
  judgement: Judgement;
  reason: string;
  since: string;
  /** Confirmed by a second window since. */
  bad_since: string | null;
  measured_at: string | null;
  /** Symbol errors an hour by window. */
  errors_per_h: Record<string, number>;
  downs_per_day: number;
  ber: number | null;
  /** No error was seen: the rate is below `ber`. */
  ber_below: boolean;
  max_c: number | null;
}

/** One thing that was measured at one end, the limit it is held against, and what follows. */
export interface Measure {
  name: string;
  end: string;
  state: Judgement;
  value: number | null;
  limit: number | null;
  window: string;
  text: string;
}

export interface LinkMeasurement {
  id: number;
  status: string;
  asked_at: string;
  asked_by: string;
  seconds: number;
  state: "" | Judgement;
  message: string;
  finished_at: string | null;
}

export interface LinkDetail extends LinkItem {
  measures: Measure[];
  measurements: LinkMeasurement[];
  judged_from: string | null;
}

export interface LinkChart {
  name: string;
  title: string;
  unit: string;
  limit: number | null;
  series: Series[];
}

export interface LinkHistory {
  charts: LinkChart[];
  events: { at: string; text: string }[];
}

export interface HeatRow {
  rack: number;
  rack_name: string;
  u: number;
  device: string;
  device_id: number;
  port_count: number;
  max_c: number | null;
  mean_c: number | null;
}

export interface Heat {
  rows: HeatRow[];
  gaps: { rack: number; rack_name: string; u: number; height_u: number; column: string }[];
}

export interface FabricEvent {
  id: number;
  at: string;
  /** False: its time could not be read, it was met then. */
  at_is_told: boolean;
  kind: string;
  severity: string;
  device: string;
  guid: string;
  port: number | null;
  text: string;
  incident: number | null;
}

export interface Incident {
  id: number;
  site: number;
  title: string;
  device: string;
  device_id: number | null;
  severity: string;
  /** Kinds in it that are never dropped. */
  grave: string[];
  events: number;
  first_at: string;
  last_at: string;
  closed_at: string | null;
  closed_by: string;
  close_reason: string;
}

export interface PortEnd {
  device: string;
  port: number;
  guid: string;
  port_id: number | null;
}

export type PortState = "proposed" | "refused" | "dry_run" | "approved" | "held" | "unknown" | "failed" | "free";

export interface PortAction {
  id: number;
  site: number;
  source: { id: number; name: string };
  action: "isolate" | "disable";
  /** Key of the link. */
  link: string;
  a: PortEnd;
  b: PortEnd;
  owner: string;
  ticket: string | null;
  cause: string;
  evidence: Record<string, unknown>;
  state: PortState;
  wanted: "held" | "free";
  message: string;
  proposed_at: string;
  proposed_by: string;
  approved_at: string | null;
  approved_by: string;
  held_at: string | null;
  ended_at: string | null;
  overdue: boolean;
}

export interface PortPolicy {
  site: number;
  automation: "dry_run" | "on";
  approval: "person" | "policy";
  budget: number;
  floor_share: number;
  remind_after_days: number;
}

export type BurnInStatus = "planning" | "planned" | "running" | "stopping" | "stopped" | "done" | "failed";

export interface BurnIn {
  id: number;
  site: number;
  source: number;
  status: BurnInStatus;
  /** Nothing is run on any machine. */
  dry_run: boolean;
  stages: number;
  pairs: number;
  /** Of the fabric, and of them covered by some stage. */
  links: number;
  covered: number;
  uncovered_count: number;
  progress: { done: number; total: number };
  result: { pass: number; fail: number; unknown: number };
  message: string;
  created_at: string;
  created_by: string;
  started_at: string | null;
  started_by: string;
  finished_at: string | null;
}

interface BareEnd {
  device: string;
  guid: string;
  port: number;
}

export interface BurnInDetail extends BurnIn {
  left_out: { machine: string; reason: string }[];
  uncovered: { key: string; share: number; reason: string; a: BareEnd; b: BareEnd }[];
  bad_links: { key: string; judgement: Judgement; reason: string; before: Record<string, unknown> | null; after: Record<string, unknown> | null }[];
}

export interface BurnInPair {
  id: number;
  stage: number;
  adapter: string;
  server: string;
  client: string;
  verdict: "waiting" | "pass" | "fail" | "unknown";
  gbps: number | null;
  p99_us: number | null;
  message: string;
}
