/** Line charts: ticks, and series side by side with gaps where nothing was measured. Pure. */
export interface Series {
  name: string;
  points: [string, number | null][];
}

export interface Tick {
  at: number;
  text: string;
}

/** Series over one list of times, as a chart takes them. */
export interface Aligned {
  /** Milliseconds, ascending. Times that no series has are put in where a line breaks. */
  times: number[];
  /** Per series one entry a time: a value, null where nothing was measured (the line breaks), undefined where only
   * another series was read (the line goes on). */
  values: (number | null | undefined)[][];
}

/** Beyond so many usual distances between readings the line breaks: nothing was measured there. */
const GAP_FACTOR = 3;

/** 0 and at most `count` round steps up to at least the largest value. */
export function ticks(largest: number, count = 4): number[] {
  if (!(largest > 0)) return [0, 1];
  const rough = largest / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((each) => each >= rough) ?? 10 * power;
  const steps = Math.ceil(largest / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

/** `1.2e-14` for what is tiny, `12,000` for what is large. */
export function valueText(value: number): string {
  if (value === 0) return "0";
  if (Math.abs(value) < 0.001) return value.toExponential(1);
  return value.toLocaleString("en", { maximumSignificantDigits: 4 });
}

const HOUR = 3_600_000;

export function timeTicks(from: number, to: number, count = 5): Tick[] {
  const steps = [HOUR / 60, HOUR / 12, HOUR / 4, HOUR / 2, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 48 * HOUR, 7 * 24 * HOUR, 30 * 24 * HOUR];
  const step = steps.find((each) => (to - from) / each <= count) ?? steps.at(-1)!;
  const offset = new Date(from).getTimezoneOffset() * 60_000;
  const found: Tick[] = [];
  for (let at = Math.ceil((from - offset) / step) * step + offset; at <= to; at += step) {
    const time = new Date(at);
    const text = step >= 24 * HOUR ? time.toLocaleDateString("en-GB", { day: "numeric", month: "short" }) : time.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    found.push({ at, text });
  }
  return found;
}

export function aligned(series: Series[]): Aligned {
  const known = series.map((each) => withGaps(each.points));
  const times = [...new Set(known.flatMap((each) => [...each.keys()]))].sort((a, b) => a - b);
  return { times, values: known.map((each) => broken(times.map((time) => each.get(time)))) };
}

/** A gap reaches from reading to reading: times of other series inside it are gap as well. */
function broken(values: Aligned["values"][number]): Aligned["values"][number] {
  const near = (order: typeof values) => {
    let last: number | null | undefined;
    return order.map((value) => (last = value === undefined ? last : value));
  };
  const before = near(values);
  const after = near([...values].reverse()).reverse();
  return values.map((value, at) => (value === undefined && (before[at] === null || after[at] === null) ? null : value));
}

function withGaps(points: Series["points"]): Map<number, number | null> {
  const found = points.map(([time, value]) => [Date.parse(time), value] as const).sort(([a], [b]) => a - b);
  const distances = found.slice(1).map(([at], i) => at - found[i]![0]).sort((a, b) => a - b);
  const usual = distances[Math.floor(distances.length / 2)] ?? Infinity;
  const known = new Map<number, number | null>();
  let last: number | null = null;
  for (const [at, value] of found) {
    if (last !== null && at - last > GAP_FACTOR * usual) known.set((at + last) / 2, null);
    known.set(at, value);
    last = at;
  }
  return known;
}

/** Places whose reading stands alone between two gaps: it has no line, so it is drawn as a dot. */
export function alone(values: Aligned["values"][number]): number[] {
  const read = values.flatMap((value, at) => (value === undefined ? [] : [at]));
  const empty = (at: number | undefined) => at === undefined || values[at] === null;
  return read.filter((at, i) => values[at] !== null && empty(read[i - 1]) && empty(read[i + 1]));
}

/** What each series says at a place: its nearest reading; null where that is "not measured". */
export function readAt({ times, values }: Aligned, at: number): (number | null)[] {
  return values.map((line) => {
    for (let away = 0; away < times.length; away += 1) {
      const [before, after] = [at - away, at + away];
      const nearer = times[at]! - (times[before] ?? -Infinity) <= (times[after] ?? Infinity) - times[at]! ? before : after;
      for (const place of [nearer, nearer === before ? after : before]) if (line[place] !== undefined) return line[place] ?? null;
    }
    return null;
  });
}

/** A part of a span, kept inside it and no shorter than `least`; null when it is the whole of it, or lies outside. */
export function within(part: [number, number], whole: [number, number], least: number): [number, number] | null {
  const length = Math.max(least, part[1] - part[0]);
  if (length >= whole[1] - whole[0] || part[1] <= whole[0] || part[0] >= whole[1]) return null;
  const from = Math.min(Math.max(part[0], whole[0]), whole[1] - length);
  return [from, from + length];
}
