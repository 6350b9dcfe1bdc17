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

/** 5.1 of 18.0 GB, 310 MB/s, 43 s left; empty where its engine does not tell. */
export function pulledText({ pulled_bytes: come, pulled_of_bytes: of, rate_bytes_s: rate, left_s: left }: Pick<PlacedImage, "pulled_bytes" | "pulled_of_bytes" | "rate_bytes_s" | "left_s">): string {
  if (come === null || of === null) return "";
  const pace = rate === null || left === null ? [] : [`${sizeText(rate)}/s`, `${spanText(left)} left`];
  return [`${sizeText(come)} of ${sizeText(of)}`, ...pace].join(", ");
}

/** All machines that pull now, together; the last of them ends it. Null: none of them tells. */
export function pulledTogether(rows: readonly PlacedImage[]): string {
  const told = rows.filter(({ status, pulled_bytes: come, pulled_of_bytes: of }) => status === "running" && come !== null && of !== null);
  if (!told.length) return "";
  const sum = (value: (row: PlacedImage) => number) => told.reduce((total, row) => total + value(row), 0);
  const paced = told.filter(({ left_s: left }) => left !== null);
  const last = Math.max(...paced.map(({ left_s: left }) => left ?? 0));
  return `${plural(told.length, "machine")}: ${pulledText({
    pulled_bytes: sum((row) => row.pulled_bytes ?? 0), pulled_of_bytes: sum((row) => row.pulled_of_bytes ?? 0),
    rate_bytes_s: paced.length ? sum((row) => row.rate_bytes_s ?? 0) : null, left_s: paced.length ? last : null,
  })}`;
}

/** What became of a machine: what it said, else the digest that was read there, else how long it has taken. */
export function saidOf(row: PlacedImage, now: number): string {
  if (row.message) return row.message;
  if (row.status === "ok") return shortIdentity(row.identity);
  if (row.status !== "running" || !row.started_at) return "";
  return [pulledText(row), `for ${spanText((now - Date.parse(row.started_at)) / 1000)}`].filter(Boolean).join(" · ");
}
