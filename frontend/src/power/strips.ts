/** The feeds of a rack as stacked strips on one scale: each machine's share, what is drawn besides, the limit, the other feed failing. Pure. */
import { ticks } from "../util/chart.ts";
import type { RackFeed } from "./shapes.ts";
import { kw, percent, power, shortName } from "./words.ts";

export interface Segment {
  key: string;
  label: string;
  text: string;
  words: string;
  /** In percent of the scale. */
  left: number;
  width: number;
  /** Steps of blue that neighbours do not share; what is no machine is grey, what carries nothing is marked. */
  look: "a" | "b" | "other" | "idle";
}

export interface Strip {
  key: string;
  side: string;
  segments: Segment[];
  now: string;
  /** `peak 24.1`: of the last day. */
  most: string;
  /** Machines whose share is not known. */
  missing: string[];
  /** Where the strip ends, in percent. */
  end: number;
  limit: number | null;
  /** The most of the last day, in percent. */
  peak: number | null;
}

/** What the feeds of a side carry when the other side fails. */
export interface Failing {
  key: string;
  side: string;
  width: number;
  text: string;
  /** Whether it is more than the feed may carry for long; null where nobody knows. */
  over: boolean | null;
}

/** A machine that draws nothing from a feed is still seen, so wide at least, in percent. */
const LEAST_WIDTH = 2.5;
/** Below this a supply carries nothing to speak of. */
const IDLE_W = 20;

/** The end of the scale, in watts: beyond every limit and load, at a round number. */
export function scaleOf(feeds: readonly RackFeed[]): number {
  return ticks(Math.max(...feeds.flatMap((feed) => [feed.limit_w ?? 0, feed.now_w ?? 0, feed.peak_w ?? 0, feed.carries_if_other_fails_w ?? 0]), 1_000) * 1.04, 6).at(-1)!;
}

export function stripsOf(feeds: readonly RackFeed[]): Strip[] {
  const scale = scaleOf(feeds);
  return feeds.map((feed) => stripOf(feed, scale));
}

/** One line a feed; one for all where they would say the same. */
export function failingOf(feeds: readonly RackFeed[]): Failing[] {
  const scale = scaleOf(feeds);
  const found = feeds.map((feed) => failing(feed, feeds, (watts) => (100 * watts) / scale)).filter((each) => each !== null);
  const alike = found.length > 1 && found.every((each) => each.width === found[0]!.width && each.said === found[0]!.said);
  if (!alike) return found.map(({ said, who, ...each }) => ({ ...each, text: `if ${who}: ${said}` }));
  const { key, width, over, said } = found[0]!;
  return [{ key, width, over, side: "", text: `if a side fails: ${said}` }];
}

function stripOf(feed: RackFeed, scale: number): Strip {
  const at = (watts: number) => (100 * watts) / scale;
  let left = 0;
  let drawn = 0;
  const segments: Segment[] = [];
  const add = (segment: Omit<Segment, "left" | "width">, watts: number) => {
    const width = Math.max(at(watts), segment.look === "idle" ? LEAST_WIDTH : 0);
    segments.push({ ...segment, left, width });
    left += width;
    drawn += watts;
  };
  feed.machines.forEach((machine, i) => {
    const { watts } = machine;
    if (watts === null) return;
    add({ key: `m${machine.id}`, label: shortName(machine.name), text: kw(watts), words: `${machine.name} ${power(watts)}`, look: watts < IDLE_W ? "idle" : i % 2 ? "b" : "a" }, watts);
  });
  if (feed.other_w) add({ key: "other", label: "", text: "", words: `others ${power(feed.other_w)}`, look: "other" }, feed.other_w);
  // What is measured at the PDU and by no machine is drawn as others: the strip is as long as the feed's load.
  const rest = feed.now_w === null ? 0 : feed.now_w - drawn;
  if (rest > scale * 0.005) add({ key: "rest", label: "", text: "", words: `${power(rest)} of no known machine`, look: "other" }, rest);
  return {
    key: `${feed.side}/${feed.pdu.id}`,
    side: feed.side,
    segments,
    now: feed.now_w === null ? "not known" : feed.limit_w === null ? `${kw(feed.now_w)} kW, its limit is not known` : `${kw(feed.now_w)} of ${kw(feed.limit_w)} kW`,
    most: feed.peak_w === null ? "" : `peak ${kw(feed.peak_w)}`,
    missing: feed.machines.filter((machine) => machine.watts === null).map((machine) => machine.name),
    end: left,
    limit: feed.limit_w === null ? null : at(feed.limit_w),
    peak: feed.peak_w === null ? null : at(feed.peak_w),
  };
}

function failing(feed: RackFeed, feeds: readonly RackFeed[], at: (watts: number) => number): (Omit<Failing, "text"> & { who: string; said: string }) | null {
  const others = [...new Set(feeds.filter((each) => each !== feed && each.side !== feed.side).map((each) => each.side))];
  if (!others.length) return null;
  const who = others.length === 1 ? `${others[0]} fails` : "the others fail";
  const watts = feed.carries_if_other_fails_w;
  const of = { key: `${feed.side}/${feed.pdu.id}`, side: feed.side, who };
  if (watts === null) return { ...of, width: 0, said: "not known", over: null };
  const share = feed.limit_w ? `, ${percent(watts / feed.limit_w)}` : "";
  const trips = feed.capacity_w !== null && watts > feed.capacity_w;
  const end = feed.holds === null ? "whether it holds is not known" : feed.holds ? "it holds" : trips ? "it trips" : "it is over its limit";
  return { ...of, width: at(watts), said: `${kw(watts)} kW${share}: ${end}`, over: feed.holds === null ? null : !feed.holds };
}

/** What the breakers of a PDU may carry; a size that nobody wrote down is no size. */
export function breakerWords(breakers: RackFeed["breakers"]): string {
  const limits = [...new Set(breakers.flatMap((each) => each.limit_a ?? []))].sort((a, b) => a - b);
  const unknown = breakers.filter((each) => each.limit_a === null).length;
  if (!limits.length) return "their size is not known";
  const told = limits.length > 1 ? `limits ${limits[0]} to ${limits.at(-1)} A` : `limit ${limits[0]} A`;
  return unknown ? `${told}; of ${unknown} not known` : told;
}

/** `L1 10 % up`: which phase is most above the mean of them; empty where they are not all known. */
export function phaseWords(phases: RackFeed["phases"]): string {
  const known = phases.filter((phase) => phase.current_a !== null);
  if (known.length < 2 || known.length < phases.length) return "";
  const mean = known.reduce((sum, phase) => sum + phase.current_a!, 0) / known.length;
  const most = known.reduce((best, phase) => (phase.current_a! > best.current_a! ? phase : best));
  const up = mean > 0 ? Math.round((100 * (most.current_a! - mean)) / mean) : 0;
  return up ? `${most.name} ${up} % up` : "in balance";
}
