/** How what was fetched from the machines of a run is shown: tones, sentences, ranks with their places. */
import { CollectedResult, CollectionStatus } from "../api/generated/words.ts";
import type { RunCollection, RunRank } from "../api/shapes.ts";
import { toned } from "../text.ts";

export const COLLECTION = toned(CollectionStatus, { running: "accent", done: "ok", failed: "fail" });
export const RESULT = toned(CollectedResult, {
  ok: "ok",
  partly: "warn",
  nothing: "warn",
  unreachable: "fail",
  refused: "fail",
  too_large: "fail",
  cut: "fail",
  failed: "fail",
});

type Counted = Pick<RunCollection, "state" | "reason" | "machines" | "answered" | "complete">;

export const isOpen = (row: Pick<RunCollection, "state"> | null): boolean => row?.state === "queued" || row?.state === "running";

/** "510 of 511 machines gave everything", "12 of 511 machines answered so far". */
export function reach(row: Counted): string {
  const machines = `${row.machines.toLocaleString("en")} ${row.machines === 1 ? "machine" : "machines"}`;
  if (row.reason === "pushed") return `pushed by ${machines}`;
  if (isOpen(row)) return `${row.answered.toLocaleString("en")} of ${machines} answered so far`;
  return row.complete === row.machines ? `complete from ${machines}` : `complete from ${row.complete.toLocaleString("en")} of ${machines}`;
}

/** "ranks 0–7, 12 and 3 more": neighbours are put together, at most so many pieces are shown. */
export function rankRanges(ranks: readonly number[], count = ranks.length, most = 6): string {
  const pieces: [number, number][] = [];
  for (const rank of ranks) {
    const last = pieces.at(-1);
    if (last && rank === last[1] + 1) last[1] = rank;
    else pieces.push([rank, rank]);
  }
  const shown = pieces.slice(0, most);
  const said = shown.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(", ");
  const rest = count - shown.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  if (!said) return "";
  return `${count === 1 ? "rank" : "ranks"} ${said}${rest > 0 ? ` and ${rest.toLocaleString("en")} more` : ""}`;
}

/** Where a rank is, as far as it is known: "hgx-c07-02, GPU 4". */
export function placeOf(rank: number | null, ranks: readonly RunRank[]): string {
  const found = ranks.find((each) => each.rank === rank);
  return found ? [found.machine_name, found.slot].filter(Boolean).join(", ") : "";
}

/** How wide the bar of a group is, in percent; the smallest is still seen. */
export const shareOf = (count: number, total: number): number => (total ? Math.max(2, (100 * count) / total) : 0);

/** "4 min 2 s fast"; nothing for a clock that is right to half a second. */
export function clockWords(ahead: number | null): string {
  if (ahead === null || Math.abs(ahead) < 0.5) return "";
  const seconds = Math.abs(ahead);
  const said = seconds >= 60 ? `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s` : `${seconds.toFixed(1)} s`;
  return `clock ${said} ${ahead > 0 ? "fast" : "slow"}`;
}
