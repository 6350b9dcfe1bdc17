/** Shapes of the inventory's answers that its pictures draw. */
import type { Elevation, ElevationItem, ElevationPort } from "../api/types.ts";

export type Face = "front" | "rear" | "both";
export type Column = "full" | "left" | "right";

/** One rack with what only its own page shows. */
export interface RackElevation extends Omit<Elevation, "sides"> {
  rack: Elevation["rack"] & { row_id: number | null; room_id: number; numbering: "up" | "down" };
  sides: (Elevation["sides"][number] & { ports: ElevationPort[] })[];
  /** Units in front that hot air returns through. */
  open_gaps: { u: number; height_u: number; column: Column }[];
  /** Lower bounds where `unknown` names devices. */
  weight: { limit_kg: number | null; planned_kg: number; unknown: string[]; over: boolean | null };
  power: { limit_w: number | null; planned_w: number; unknown: string[]; over: boolean | null };
}

/** The rack's record, as tables write it. */
export interface RackRecord {
  id: number;
  name: string;
  site: number;
  site_name?: string;
  room: number;
  room_name: string;
  row: number | null;
  row_name: string;
  role: string;
  height_u: number;
  numbering?: "up" | "down";
  outer_height_mm?: number | null;
  weight_limit_kg?: number | null;
  power_limit_w: number | null;
  serial?: string;
  asset_tag?: string;
  contact?: number | null;
  contact_name?: string | null;
  tags?: string[];
}

/** A rack as rows and rooms show it: no ports, no parts. */
export interface RackThumbnail {
  rack: {
    id: number;
    name: string;
    row_id: number | null;
    height_u: number;
    numbering: "up" | "down";
    free_u: number;
  };
  front: ThumbnailItem[];
  rear: ThumbnailItem[];
}

export type ThumbnailItem = Pick<ElevationItem, "id" | "name" | "kind" | "machine" | "u" | "height_u" | "column" | "cell">;

export interface RowRecord {
  id: number;
  room: number;
  room_name?: string;
  name: string;
  position: number;
}

// ---- cables ----

export interface Place {
  site: string;
  room: string;
  row: string | null;
  rack: string;
  rack_id?: number | null;
  room_id?: number | null;
  u: number | null;
  height_u?: number | null;
  rack_height_u?: number | null;
  numbering?: "up" | "down";
  face: string;
  text: string;
}

/** A port as a trace tells it: its own facts one level down, beside its device and place. */
export interface TracePort {
  id: number;
  name: string;
  port: {
    id: number;
    name: string;
    kind: string;
    speed_gbps: number | null;
    cage: number | null;
    lane: number | null;
    face: string;
  };
  device: { id: number; name: string; kind: string };
  place: Place;
}

export interface TraceCable {
  id: number;
  label: string;
  type: string;
  length_m: number | null;
  colour: string;
  status: string;
  strand?: number;
}

export type Hop =
  | ({ kind: "port" } & TracePort)
  | { kind: "cable"; id: number; name: string; cable: TraceCable }
  | { kind: "panel"; id: number; name: string; position: number; device: TracePort["device"]; place: Place };

export interface TraceWay {
  complete: boolean;
  why: { code: string; text: string; port: number } | null;
  planned: boolean;
  length_m: number | null;
  ends: TracePort[];
  hops: Hop[];
  branches: TraceWay[];
}

export interface Trace extends TraceWay {
  port: TracePort;
  /** The way through the panel, for a port of a patch panel. */
  back: TraceWay | null;
}

/** Where one plug of a cable sits. */
export interface CableEnd {
  port: number;
  port_name: string;
  device: number;
  device_name: string;
  kind: string;
  cage: number | null;
  connector: number;
  lane: number;
  serial: string;
}

export interface CableRecord {
  id: number;
  site: number;
  label: string;
  type: string;
  status: string;
  length_m: number | string | null;
  colour: string;
  vendor: string;
  part_number: string;
  bundle: string;
  tags: string[];
  a: CableEnd[];
  b: CableEnd[];
}

// ---- power ----

export interface Named {
  id: number;
  name: string;
}

export type Together = "side" | "panel" | "feed";

/** What a feed carries and may carry, in watts; null where its size or a reading is not known. */
export interface Carried {
  capacity_w: number | null;
  derated_w: number | null;
  planned_w: number | null;
  measured_w: number | null;
  share: number | null;
}

export interface RackFeed extends Carried {
  feed: Named | null;
  side: string;
  pdu: Named & { limit_w: number | null; planned_w: number };
  rack_w: number;
}

export interface Takeover {
  fails: Named[];
  /** The feed that is left with the load. */
  feed: Named;
  side: string;
  carries_w: number;
  derated_w: number | null;
  /** Null where the size of its breaker is not known. */
  trips: boolean | null;
}

export type Redundancy = "2N" | "N+1" | "single" | "unknown";

export interface PoweredDevice extends Named {
  kind: string;
  planned_w: number | null;
  measured_w: number | null;
  inputs: { port: string; pdu: Named | null; outlet: string | null; feed: Named | null }[];
  redundancy: Redundancy;
  loses_power_if: Named[];
}

export interface RackPower {
  rack: Named;
  limit_w: number | null;
  planned_w: number;
  measured_w: number | null;
  measured_devices: number;
  over_limit: boolean;
  feeds: RackFeed[];
  failure: Takeover[];
  devices: PoweredDevice[];
}

export interface SiteFeed extends Named, Carried {
  side: string;
  panel: Named | null;
  overloaded: boolean | null;
  devices: number;
  fails: { lost: number; degraded: number; unknown: number; trips: number };
}

export interface PowerSummary {
  together: Together;
  feeds: SiteFeed[];
  sides: { side: string; planned_w: number }[];
  pdus_over_limit: (Named & { planned_w: number; limit_w: number })[];
  racks_over_limit: (Named & { planned_w: number; limit_w: number })[];
  redundancy: Record<Redundancy, number>;
  unknown: {
    devices_without_cords: number;
    devices_without_draw: number;
    feeds_without_size: number;
    pdus_without_feed: number;
    adrift_w: number;
  };
}

export type PowerState = "ok" | "lost" | "degraded" | "trips" | "unknown";

export interface Affected extends Named {
  kind: string;
  rack: number | null;
  rack_name: string | null;
}

export interface FeedFailure {
  feed: Named;
  together: Together;
  dead: Named[];
  lost: Affected[];
  degraded: Affected[];
  unknown: Affected[];
  trips: { rack: number; rack_name: string; feed: Named | null; pdu: Named | null; carries_w: number; derated_w: number }[];
  racks: (Named & { state: PowerState })[];
}

// ---- placement ----

export interface Spot {
  u: number;
  face: Face;
  column: Column;
}

export interface FreePlaces {
  spans: (Spot & { height_u: number })[];
  suggestions: Spot[];
  weight: LoadWith;
  power: LoadWith;
}

/** What a rack would carry with the device; null where a figure is not known. */
export interface LoadWith {
  limit: number | null;
  after: number;
  fits: boolean | null;
}

export interface DeviceModelRecord {
  id: number;
  slug: string;
  vendor: string;
  name: string;
  kind: string;
  half_u_height: number;
  full_depth: boolean;
  power_w: number;
}

/** Where a device is, or is to be: a unit of a rack, or nowhere. */
export interface DevicePlace {
  rack: number | null;
  u: number | null;
  face: Face | null;
  column: Column | null;
}

/** A device as it is read, as far as its placement is concerned. */
export interface DeviceRecord extends DevicePlace {
  id: number;
  name: string;
  kind: string;
  site: number;
  model: number;
  model_name: string;
  rack_name: string | null;
  room_name?: string | null;
  side: string | null;
}

export interface NamingRule {
  id: number;
  site: number;
  kind: string;
  tier: string;
  pattern: string;
}

// ---- parts and papers ----

export interface Attachment {
  id: number;
  filename: string;
  content_type: string;
  size: number;
  caption: string;
  created_at: string;
  created_by: string;
  /** Addresses of the file, and of a small picture of it. */
  content: string;
  thumbnail: string | null;
}

export interface Comment {
  id: number;
  text: string;
  at: string;
  /** User name, and how people know them. */
  author: string;
  author_name: string;
}

export interface ComponentRecord {
  id: number;
  site: number;
  kind: string;
  vendor: string;
  part_number: string;
  serial: string;
  attributes: Record<string, unknown>;
  tags?: string[];
}

export interface Stay {
  device: number;
  device_name: string;
  slot: string;
  slot_text: string;
  /** Where the device stood then. */
  place: string;
  from: string | null;
  to: string | null;
  by: string;
  ticket: string;
}

export interface PartChange {
  at: string;
  by: string;
  reason: string;
  action: "created" | "changed" | "deleted";
  fields: Partial<Record<"condition" | "storage", { before: string | null; after: string | null }>>;
}

export interface PartLife {
  id: number;
  kind: string;
  vendor: string;
  part_number: string;
  serial: string;
  condition: string;
  installed: Stay | null;
  storage: { id: number; name: string; room: string } | null;
  /** Where it is now, in words. */
  text: string;
  stays: Stay[];
  changes: PartChange[];
  tickets: { key: string; title: string; status: string; opened_at: string; closed_at: string | null }[];
  swaps: { ticket: string; at: string; by: string; device_name: string; slot: string; direction: "in" | "out"; other_serial: string }[];
}

export interface Spare {
  storage: number;
  storage_name: string;
  room: string | null;
  site: number;
  site_name: string;
  kind: string;
  vendor: string;
  part_number: string;
  stock: number | null;
  with_serial: number;
  counted: number;
  suspect: number;
  have: number;
  minimum: number;
  short: number;
}
