/** What is said of a site's Prometheus, and of a query that was tried. */
import { MetricKind, MetricsState } from "../api/generated/words.ts";
import type { TriedQuery } from "../api/shapes.ts";
import { toned } from "../text.ts";

export const METRICS = toned(MetricsState, { good: "ok", partly: "warn", failed: "fail" });

const many = (count: number, one: string, more: string): string => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

/** "12 series with 480 points, 588 steps, in 0.02 s". */
export function triedText(kind: keyof typeof MetricKind, tried: TriedQuery): string {
  if (!tried.series_count) return "";
  const parts = [`${many(tried.series_count, "series", "series")} with ${many(tried.points, "point", "points")}`];
  if (kind === "step") parts.push(many(tried.yields, "step", "steps"));
  else if (kind.includes("_") && kind !== "step_s") parts.push(many(tried.yields, "GPU", "GPUs"));
  parts.push(`in ${tried.took_s.toFixed(2)} s`);
  return parts.join(", ");
}

/** `{gpu="0", Hostname="hgx-01"}`, without the name. */
export const labelsText = (labels: Record<string, string>): string =>
  `${labels.__name__ ?? ""}{${Object.entries(labels)
    .filter(([name]) => name !== "__name__")
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(", ")}}`;
