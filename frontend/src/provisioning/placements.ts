/** Placing container images: times and sums as people say them. */
import type { Schemas } from "../api/schema.ts";
import { plural } from "../text.ts";
import { shortIdentity, sizeText } from "./images.ts";

export type Placement = Schemas["Placement"];
export type PlacedImage = Schemas["PlacedImage"];
export type Estimate = Schemas["Estimate"];

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
  if (row.status === "ok") return shortIdentity(row.identity);
  if (row.status !== "running" || !row.started_at) return "";
  return `for ${spanText((now - Date.parse(row.started_at)) / 1000)}`;
}
