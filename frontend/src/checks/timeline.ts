/** A machine's timeline: lanes of marks and bars on one axis, and the same as a list. Pure. */
import type { Cell } from "../api/shapes.ts";
import { stateWord } from "../text.ts";
import type { Lane, Timeline, TimelineItem } from "./shapes.ts";

export const RANGES = { "24h": 1, "7d": 7, "30d": 30, "90d": 90 } as const;
export type Range = keyof typeof RANGES;
export const RANGE_WORD: Record<Range, string> = { "24h": "24 h", "7d": "7 d", "30d": "30 d", "90d": "90 d" };
export const rangeOf = (text: string | null): Range => (text && text in RANGES ? (text as Range) : "24h");
export const DAY_MS = 86_400_000;

/** Where one reads: the range ends now, or at the time in the address. */
export function windowOf(range: Range, until: string | null, nowMs: number): { from: number; to: number } {
  const asked = Date.parse(until ?? "");
  const to = Number.isNaN(asked) ? nowMs : Math.min(asked, nowMs);
  return { from: to - RANGES[range] * DAY_MS, to };
}

/** Looks of machine cells; a kind of which nothing is known is drawn as something plain. */
const LOOK: Record<string, Cell> = {
  fail: "failed", failed: "failed", warn: "suspect", unknown: "no_signal", info: "available", ok: "allocated",
  ready: "allocated", draining: "drained", drained: "drained", maintenance: "off", retired: "off", new: "available", triage: "suspect",
  repair: "repair", rma: "repair", verifying: "provisioning", provisioning: "provisioning", burn_in: "provisioning", remediating: "provisioning",
  passed: "allocated", planned: "available", granted: "available", sent: "provisioning", confirmed: "allocated", ambiguous: "suspect", cancelled: "off", running: "provisioning",
  open: "repair", opened: "repair", in_work: "repair", closed: "allocated",
};
const OF_LANE: Record<Lane, Cell> = { verdicts: "no_signal", states: "off", actions: "provisioning", tickets: "repair", firmware: "available", jobs: "allocated" };
export const lookOf = (lane: Lane, kind: string): Cell => LOOK[kind] ?? OF_LANE[lane] ?? "off";

/** Worst first: what a bunch of marks that lie on each other shows. */
const LOUD: Cell[] = ["failed", "no_signal", "suspect", "repair", "drained", "off", "provisioning", "available", "allocated"];

export interface Mark {
  /** Pixels from the left of the lane. */
  x: number;
  /** Null for a mark at one moment. */
  width: number | null;
  cell: Cell;
  items: TimelineItem[];
}

export interface LaneMarks {
  lane: Lane;
  marks: Mark[];
}

/** A mark is so wide; what would lie on another becomes one mark of several. */
export const MARK_PX = 16;

/** What lasts is a bar. A state that does not say its end lasts to the next one, a job that does not runs now. */
export function lanesOf(timeline: Timeline, from: number, to: number, width: number): LaneMarks[] {
  const x = (at: number): number => (width * (Math.min(Math.max(at, from), to) - from)) / Math.max(1, to - from);
  return timeline.lanes.map(({ lane, items }) => {
    const sorted = [...items].sort((a, b) => a.at.localeCompare(b.at));
    const marks: Mark[] = [];
    for (const [i, item] of sorted.entries()) {
      const until = item.until ?? (lane === "states" ? (sorted[i + 1]?.at ?? null) : null);
      const start = x(Date.parse(item.at));
      const lasts = until !== null || lane === "states" || lane === "jobs";
      const end = lasts ? x(until === null ? to : Date.parse(until)) : null;
      const long = end !== null && end - start >= MARK_PX;
      add(marks, { x: start, width: long ? end - start : null, cell: lookOf(lane, item.kind), items: [item] }, lane !== "states");
    }
    return { lane, marks };
  });
}

function add(marks: Mark[], mark: Mark, bunch: boolean): void {
  const last = marks.at(-1);
  if (!bunch || !last || last.width !== null || mark.width !== null || mark.x - last.x >= MARK_PX) {
    marks.push(mark);
    return;
  }
  last.items.push(...mark.items);
  last.cell = LOUD.find((cell) => cell === last.cell || cell === mark.cell) ?? last.cell;
}

/** The mark an arrow key leads to: within the lane by order, between lanes to the nearest in time. */
export function stepFrom(lanes: LaneMarks[], from: { lane: number; mark: number }, key: string): { lane: number; mark: number } | null {
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const mark = from.mark + (key === "ArrowRight" ? 1 : -1);
    return lanes[from.lane]?.marks[mark] ? { lane: from.lane, mark } : null;
  }
  const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  if (!step) return null;
  const at = lanes[from.lane]?.marks[from.mark]?.x ?? 0;
  for (let lane = from.lane + step; lanes[lane]; lane += step) {
    const marks = lanes[lane]?.marks ?? [];
    if (marks.length) return { lane, mark: marks.reduce((best, mark, i) => (Math.abs(mark.x - at) < Math.abs((marks[best]?.x ?? 0) - at) ? i : best), 0) };
  }
  return null;
}

export interface Listed extends TimelineItem {
  lane: Lane;
}

/** Everything newest first, in days. */
export function listOf(timeline: Timeline, lane: Lane | null): { day: string; items: Listed[] }[] {
  const items = timeline.lanes.flatMap((each) => (lane && each.lane !== lane ? [] : each.items.map((item) => ({ ...item, lane: each.lane }))));
  const days = new Map<string, Listed[]>();
  for (const item of items.sort((a, b) => b.at.localeCompare(a.at))) {
    const day = new Date(item.at).toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long" });
    days.set(day, [...(days.get(day) ?? []), item]);
  }
  return [...days].map(([day, found]) => ({ day, items: found }));
}

/** States are told by their word. */
export const titleOf = (lane: Lane, item: TimelineItem): string => (lane === "states" ? stateWord(item.kind) : item.title || stateWord(item.kind));

/** `3 at once: …` */
export function markWords(lane: Lane, mark: Mark): string {
  const titles = mark.items.slice(0, 3).map((item) => titleOf(lane, item)).join("; ");
  return mark.items.length === 1 ? titles : `${mark.items.length} at once: ${titles}${mark.items.length > 3 ? "…" : ""}`;
}
