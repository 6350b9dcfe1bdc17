/** Placing container images: machines in the order in which they need somebody, and times as people say them. */
import type { Schemas } from "../api/schema.ts";
import { plural } from "../text.ts";
import { sizeText } from "./images.ts";

export type Placement = Schemas["Placement"];
export type PlacedImage = Schemas["PlacedImage"];
export type Estimate = Schemas["Estimate"];

const WORST: PlacedImage["status"][] = ["failed", "unreachable", "refused", "running", "cancelled", "waiting", "ok"];

/** What failed first, then what is under way, laggards before the others; each in the order in which machines go. */
export const worstFirst = (machines: readonly PlacedImage[]): PlacedImage[] =>
  [...machines].sort((a, b) => WORST.indexOf(a.status) - WORST.indexOf(b.status) || Number(b.late) - Number(a.late) || a.id - b.id);

/** 45 s, 5 min, 2.5 h. */
export function spanText(seconds: number): string {
  if (seconds < 1) return "under 1 s";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** 30 GB × 500 machines over 4 × 100 Gbit/s: about 5 min. */
export function sumText(sizeBytes: number, machines: number, uplinks: number, gbit: number, seconds: number): string {
  return `${sizeText(sizeBytes)} × ${plural(machines, "machine")} over ${uplinks} × ${gbit} Gbit/s: about ${spanText(seconds)}`;
}

/** What became of a machine: what it said, else the digest that was read there, else how long it has taken. */
export function saidOf(row: PlacedImage, now: number): string {
  if (row.message) return row.message;
  if (row.status === "ok") return row.identity.replace(/^sha256:/, "").slice(0, 12);
  if (row.status !== "running" || !row.started_at) return "";
  return `for ${spanText((now - Date.parse(row.started_at)) / 1000)}`;
}
