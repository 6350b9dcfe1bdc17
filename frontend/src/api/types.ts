/** Shapes of the REST API and of the live feed, field for field. */
import type { Move } from "../fabric/types.ts";

export type Cell =
  | "allocated"
  | "available"
  | "suspect"
  | "failed"
  | "drained"
  | "repair"
  | "provisioning"
  | "off"
  | "no_signal";

/** Worst first. */
export type Verdict = "fail" | "unknown" | "warn" | "info" | "ok";

export type Role = "viewer" | "technician" | "operator" | "admin";

export interface Page<T> {
  count: number;
  next: string | null;
  previous: string | null;
  results: T[];
}

export interface Site {
  id: number;
  slug: string;
  name: string;
}

export interface Me {
  id: number;
  username: string;
  name: string;
  roles: { site: number | null; role: Role }[];
  sites: Site[];
}

// ---- floor ----

export interface Notice {
  kind: string;
  level: string;
  text: string;
  since?: string | null;
  what_to_do?: string;
  link?: string;
}

export interface Aisle {
  kind: "cold" | "hot";
  name: string;
  x_mm: number;
  y_mm: number;
  width_mm: number;
  depth_mm: number;
}

/** Rows of values under named columns: a tenth of the bytes of a list of objects. */
export interface Table {
  columns: string[];
  rows: unknown[][];
}

export interface FloorDocument {
  cursor: string;
  generated_at: string;
  site: Site;
  room: { id: number; name: string; width_mm: number; depth_mm: number };
  rooms: { id: number; name: string; site: number }[];
  rows: { id: number; name: string }[];
  aisles: Aisle[];
  racks: Table;
  machines: Table;
  cells: Cell[];
  totals: Partial<Record<Cell, number>>;
  notices: Notice[];
  provisional: unknown[];
}

export interface RackRow {
  id: number;
  name: string;
  row: number | null;
  x_mm: number;
  y_mm: number;
  width_mm: number;
  depth_mm: number;
  facing: "up" | "down";
  height_u: number;
  role: string;
}

export interface MachineRow {
  id: number;
  name: string;
  rack: number;
  u: number;
  height_u: number;
  cell: Cell;
  state: string;
  worst: Verdict | null;
  heard: string;
  since: string | null;
  ticket: string | null;
  faults: number;
}

// ---- racks ----

export interface ElevationPart {
  slot: string;
  label: string;
  kind: string;
  verdict: Verdict | null;
}

export interface ElevationItem {
  /** Null for a reservation or a blanking panel, which are no devices. */
  id: number | null;
  name: string;
  kind: string;
  machine: number | null;
  model: string | null;
  u: number;
  height_u: number;
  face: "front" | "rear" | "both";
  column: "full" | "left" | "right";
  cell: Cell | null;
  worst: Verdict | null;
  ticket: string | null;
  parts: ElevationPart[];
  /** Why units are kept free, and for whom: only of reserved units and blanking panels. */
  reason?: string;
  owner?: string;
  ports?: ElevationPort[];
}

/** A socket of a device, with the live cable in it. */
export interface ElevationPort {
  id: number;
  name: string;
  kind: string;
  cage: number | null;
  lane: number | null;
  face: string;
  cable: { id: number; label: string; status: string } | null;
}

export interface Elevation {
  rack: {
    id: number;
    name: string;
    row: string | null;
    room: string;
    site: string;
    height_u: number;
    numbering?: "up" | "down";
    power_limit_w: number | null;
    planned_w: number | null;
  };
  front: ElevationItem[];
  rear: ElevationItem[];
  sides: { slot: string; id: number; name: string; kind: string }[];
}

// ---- machines ----

export interface TicketBrief {
  id: number;
  key: string;
  title: string;
  status: TicketStatus;
}

export interface Hold {
  owner: string;
  reason: string;
  placed_by?: string;
  placed_at: string;
}

/** A machine as lists show it. */
export interface MachineSummary {
  id: number;
  name: string;
  site: Site;
  model: { slug: string; name: string; vendor: string };
  serial: string;
  asset_tag: string;
  system_uuid: string | null;
  pool: string | null;
  place: MachinePlace | null;
  ticket?: string | null;
  health: MachineCondition;
}

export interface MachineCondition {
  cell: Cell;
  state: string;
  state_since: string | null;
  worst: Verdict | null;
  heard: string;
  heard_at: string | null;
  boot_id: string | null;
  power: string;
  allocation: string;
  faults: number;
  maintenance_until?: string | null;
}

export interface Machine extends MachineSummary {
  addresses: {
    primary_ip: string | null;
    bmc_ip: string | null;
    bmc_mac: string | null;
    boot_mac: string | null;
  };
  health: MachineCondition & { holds: Hold[] };
  tickets: TicketBrief[];
}

export interface MachinePlace {
  site: string;
  room: string;
  row: string | null;
  rack: string;
  rack_id: number;
  /** Null when it hangs in a zero-U side slot. */
  u: number | null;
  height_u: number | null;
  face: string;
  text: string;
}

export interface Component {
  /** The part itself, which has a page of its own. */
  component: number;
  slot: string;
  label: string;
  /** Both, as people read them. */
  text: string;
  kind: string;
  vendor: string;
  part_number: string;
  serial: string | null;
  attributes: Record<string, unknown>;
  installed_at: string | null;
}

export interface Evidence {
  command: string;
  exit_status: number | null;
  excerpt: string;
}

export interface CheckResult {
  check: string;
  title: string;
  part: string;
  /** As people read it: what is printed on the chassis first. */
  part_text: string;
  verdict: Verdict;
  message: string;
  action: string;
  checked_at: string | null;
  changed_at: string | null;
  evidence: Evidence | null;
  /** What it really is while somebody silences it, and until when. */
  silenced?: { verdict: Verdict; silence: number; until: string } | null;
}

export interface MachineVerdicts {
  checked_at: string | null;
  results: CheckResult[];
}

export interface CheckRun {
  at: string;
  worst: Verdict;
  fail: number;
  warn: number;
  unknown: number;
}

export interface MachineHistory {
  runs: CheckRun[];
  transitions: { at: string; check: string; part: string; part_text: string; from: string; to: string; message: string }[];
  lifecycle: { at: string; from: string; to: string; actor: string; reason: string }[];
}

export interface MachineCable {
  id: number;
  label: string;
  type: string;
  length_m: number | null;
  colour: string;
  status: string;
  near: { port: string; kind: string; speed_gbps: number | null; cage: number | null; lane: number | string | null };
  far: {
    device: string;
    device_id: number;
    kind: string;
    port: string;
    cage: number | null;
    lane: number | string | null;
    place: string;
  } | null;
}

/** One rail of a machine: the adapter port that serves a GPU, and the leaf port it is cabled to. */
export interface Rail {
  rail: number | null;
  gpu_slot: string | null;
  gpu_label: string | null;
  hca_slot: string | null;
  port: string;
  port_id: number;
  far: { device: string; device_id: number; port: string; port_id: number; tier: string | null } | null;
}

// ---- search ----

export interface SearchResult {
  kind: string;
  id: number | string;
  title: string;
  subtitle: string;
  url: string;
}

// ---- tickets ----

export type TicketStatus = "open" | "in_work" | "verifying" | "closed";
export type TicketAction = "take" | "release" | "comment" | "step" | "swap" | "verify" | "close" | "reopen";

/** What a ticket is about: exactly one thing. A `place` is only in the plan and has no record. */
export interface TicketSubject {
  kind: "machine" | "switch" | "cable" | "place";
  id: number | null;
  name: string;
}

export interface TicketItem {
  id: number;
  key: string;
  title: string;
  status: TicketStatus;
  priority: "P1" | "P2" | "P3";
  subject: TicketSubject;
  /** Of a ticket about a machine. */
  machine: { id: number; name: string } | null;
  part: string;
  /** As people read it: what is printed on the chassis first. */
  part_text: string;
  place: { text: string };
  assignee: { id: number; name: string } | null;
  opened_at: string;
  updated_at: string;
  closed_at: string | null;
  fault_class: string;
}

export interface TicketPlace {
  site: string;
  room: string;
  row: string | null;
  rack: string;
  rack_id: number | null;
  u: number | null;
  height_u: number | null;
  face: string;
  slot: string;
  slot_label: string;
  /** Both, as people read them. */
  slot_text: string;
  text: string;
  walk: { row_racks: { id: number; name: string }[]; position: number; side: string } | null;
  unit: {
    height_u: number;
    u: number;
    machine_height_u: number;
    neighbours: { name: string; u: number; height_u: number }[];
  } | null;
  slots: { name: string; label: string; kind: string }[];
}

export interface TicketStep {
  number: number;
  kind: "check" | "swap" | "reseat" | "verify" | "scan" | "move" | "clean";
  title: string;
  /** What must be done or out of use before it; empty when it may be done. */
  waits: string;
  detail: string;
  done_at: string | null;
  done_by: string | null;
  /** `confirmed` and `failed`: its ports were looked at again. */
  state: "todo" | "done" | "confirmed" | "failed";
  /** A look at its ports is under way. */
  checking: boolean;
  checked_at: string | null;
  /** What the look showed. */
  outcome_text: string;
  swaps: "" | "optic" | "cable";
  /** Of the plan it came with. */
  order_version: number | null;
  move: Move | null;
  measured: Measured | null;
}

/** Rates of a link before and after a step. */
export interface Measured {
  status: string;
  measurement: number | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  /** What the rates after it say; empty: not yet. */
  state: "" | "ok" | "watch" | "bad" | "unknown";
  message: string;
}

/** What must be out of use before hands touch a cable. */
export interface Clearance {
  key: string;
  state: "wanted" | "waiting" | "placed" | "by_hand" | "lifted";
  clear: boolean;
  text: string;
  machine: { id: number; name: string } | null;
  port_action: number | null;
  ends: Record<string, unknown>;
}

/** The cabling side of a ticket. `version` grows when the steps to be done are planned again. */
export interface WorkOrder {
  kind: "moves" | "checks" | "unlit" | "off" | "link";
  version: number;
  finding: number | null;
  link: string | null;
  cables: string[];
  source: { id: number; name: string } | null;
  look: { status: "" | "waiting" | "passed" | "failed"; requested_at: string | null; finished_at: string | null; text: string };
  clearances: Clearance[];
}

export interface TicketEvidence {
  id: number;
  at: string;
  check: string;
  part: string;
  /** As people read it: what is printed on the chassis first. */
  part_text: string;
  verdict: Verdict;
  message: string;
  command: string;
  exit_status: number | null;
  excerpt: string;
}

export interface Verification {
  id: number;
  status: string;
  requested_at: string;
  finished_at: string | null;
  results: { check: string; part: string; part_text: string; verdict: Verdict; message: string }[];
}

export interface Ticket extends Omit<TicketItem, "place"> {
  summary: string;
  place: TicketPlace;
  component: { id: number; serial: string | null; part_number: string; vendor: string } | null;
  led: "on" | "off" | "unknown";
  steps: TicketStep[];
  order: WorkOrder | null;
  evidence: TicketEvidence[];
  comments: { id: number; at: string; author: string; text: string }[];
  swaps: { old_serial: string | null; new_serial: string; at: string; by: string }[];
  timeline: { at: string; actor: string; text: string }[];
  verification: Verification | null;
  version: number;
  may: TicketAction[];
}

// ---- provisioning ----

export interface RunTotals {
  waiting: number;
  running: number;
  done: number;
  failed: number;
  cancelled: number;
}

export interface RunItem {
  id: number;
  name: string;
  status: string;
  created_at: string;
  created_by: string | null;
  limit: number;
  totals: RunTotals;
}

export interface RunStep {
  number: number;
  name: string;
  title: string;
  status: string;
  started_at: string | null;
  finished_at: string | null;
  attempt: number;
  detail: string;
}

export interface RunMachine {
  id: number;
  machine: { id: number; name: string };
  status: string;
  failure_class: string | null;
  failure_text: string;
  ticket: string | null;
  steps: RunStep[];
}

/** Machines that fail or hang alike at one step: likely one cause. */
export interface RunAlike {
  step: string;
  failure_class: string;
  machines: { id: number; name: string }[];
  cause: string;
}

export interface Run extends RunItem {
  machines: RunMachine[];
  alike: RunAlike[];
}

export interface LogLine {
  n: number;
  at: string;
  step: string;
  text: string;
}

// ---- live feed ----

export interface LiveEvent {
  id: number;
  kind: string;
  subject: string;
  at: string;
  data: Record<string, unknown>;
}

export type LiveFrame =
  | { type: "hello"; cursor: string; epoch: string }
  | { type: "events"; cursor: string; events: LiveEvent[] }
  | { type: "reset" }
  | { type: "heartbeat"; cursor: string; at: string };
