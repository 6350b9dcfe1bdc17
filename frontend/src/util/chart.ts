/** Line charts: scales, ticks and paths with gaps where nothing was measured. Pure. */
export interface Series {
  name: string;
  points: [string, number | null][];
}

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Tick {
  at: number;
  text: string;
}

export interface Chart {
  lines: { name: string; path: string; dots: { x: number; y: number }[] }[];
  yTicks: Tick[];
  xTicks: Tick[];
  y(value: number): number;
  /** Nearest measured points to a place on the x axis. */
  read(x: number): { at: number; x: number; values: { name: string; value: number | null }[] } | null;
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
  const steps = [HOUR / 12, HOUR / 4, HOUR / 2, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 7 * 24 * HOUR, 30 * 24 * HOUR];
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

export function chartOf(series: Series[], from: number, to: number, box: Box): Chart {
  const values = series.flatMap((each) => each.points.flatMap(([, value]) => (value === null ? [] : [value])));
  const steps = ticks(Math.max(0, ...values));
  const top = steps.at(-1) ?? 1;
  const x = (at: number): number => box.x + (box.w * (at - from)) / Math.max(1, to - from);
  const y = (value: number): number => box.y + box.h - (box.h * value) / top;
  const points = series.map((each) => ({ name: each.name, at: each.points.map(([time, value]) => ({ at: Date.parse(time), value })) }));
  return {
    lines: points.map(({ name, at }) => ({ name, ...line(at, x, y) })),
    yTicks: steps.map((value) => ({ at: y(value), text: valueText(value) })),
    xTicks: timeTicks(from, to).map((tick) => ({ at: x(tick.at), text: tick.text })),
    y,
    read: (px) => nearest(points, from + ((px - box.x) / box.w) * (to - from), x),
  };
}

interface Point {
  at: number;
  value: number | null;
}

function line(points: Point[], x: (at: number) => number, y: (value: number) => number) {
  const distances = points.slice(1).map((point, i) => point.at - points[i]!.at).sort((a, b) => a - b);
  const usual = distances[Math.floor(distances.length / 2)] ?? Infinity;
  const runs: Point[][] = [];
  let last: Point | null = null;
  for (const point of points) {
    if (point.value === null) last = null;
    else {
      if (last && point.at - last.at <= GAP_FACTOR * usual) runs.at(-1)!.push(point);
      else runs.push([point]);
      last = point;
    }
  }
  const place = (point: Point) => ({ x: x(point.at), y: y(point.value ?? 0) });
  return {
    path: runs.filter((run) => run.length > 1).map((run) => run.map(place).map((p, i) => `${i ? "L" : "M"}${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join("")).join(""),
    // A reading alone between two gaps has no line.
    dots: runs.filter((run) => run.length === 1).map((run) => place(run[0]!)),
  };
}

function nearest(points: { name: string; at: Point[] }[], wanted: number, x: (at: number) => number) {
  const times = points.flatMap((each) => each.at.map((point) => point.at));
  if (!times.length) return null;
  const at = times.reduce((best, time) => (Math.abs(time - wanted) < Math.abs(best - wanted) ? time : best));
  return { at, x: x(at), values: points.map((each) => ({ name: each.name, value: each.at.find((point) => point.at === at)?.value ?? null })) };
}
