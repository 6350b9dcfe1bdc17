/** A line chart of uPlot in the dashboard's colours: axes from nought, gaps, a limit; pointer, fingers and keys read and zoom. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Palette } from "../map/palette.ts";
import { type Aligned, alone, ticks, timeTicks, valueText, within } from "../util/chart.ts";
import type { Part } from "../util/zoom.svelte.ts";

/** A moment to draw on the curve, with a word; a while, where it has an end. */
export interface Mark {
  at: number;
  until?: number | null;
  text: string;
}

export interface Picture {
  chart: Aligned;
  from: number;
  to: number;
  /** What of it is shown; null: everything. */
  part: Part | null;
  limit: number | null;
  marks: readonly Mark[];
  /** Fill between the second and the third series. */
  band?: boolean;
  /** The axis begins near the least value instead of at nought. */
  fromLeast?: boolean;
  palette: Palette;
}

interface Listeners {
  /** The place in `chart.times` that is read; null when none is. */
  read: (at: number | null) => void;
  /** Somebody wants to see this part, or everything. The next picture decides. */
  zoom: (part: Part | null) => void;
}

export const COLOURS = ["accent", "cell-repair", "warn", "ok"];
export const DASHES = [[], [5, 4], [2, 3], [8, 3, 2, 3]];
export const HEIGHT = 180;
/** Zooming in ends here. */
export const LEAST_MS = 5 * 60_000;
/** How far an arrow key goes at least. */
const STEP_PX = 8;
const FONT_PX = 11;
const SYNC = "page";

export class Plot {
  private readonly u: uPlot;
  private readonly fingers = new Map<number, number>();

  constructor(
    private readonly box: HTMLElement,
    private picture: Picture,
    width: number,
    private readonly listeners: Listeners,
  ) {
    this.u = new uPlot(this.options(width), this.data(), box);
    this.show();
  }

  /** Other values, span, part or colours. */
  update(picture: Picture): void {
    this.picture = picture;
    this.u.setData(this.data(), false);
    this.show();
  }

  resize(width: number): void {
    this.u.setSize({ width, height: HEIGHT });
  }

  destroy(): void {
    this.u.destroy();
  }

  /** A key as the chart understands it; false when it is none. */
  key(key: string): boolean {
    const { u } = this;
    const middle = u.cursor.left !== undefined && u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : null;
    if (key === "ArrowLeft" || key === "ArrowRight") this.step(key === "ArrowLeft" ? -1 : 1);
    else if (key === "+" || key === "=") this.zoomAt(middle, 1 / 2);
    else if (key === "-") this.zoomAt(middle, 2);
    else if (key === "0") this.listeners.zoom(null);
    else if (key === "Escape" && middle !== null) this.read(-10);
    else if (key === "Escape" && this.picture.part) this.listeners.zoom(null);
    else return false;
    return true;
  }

  // ---- fingers: one reads, two zoom. A mouse is uPlot's own: it reads, drags a part to zoom, and a double click shows all ----

  finger(event: PointerEvent): void {
    if (event.pointerType === "mouse") return;
    const x = event.clientX - this.u.over.getBoundingClientRect().left;
    const before = this.fingers.get(event.pointerId);
    this.fingers.set(event.pointerId, x);
    if (this.fingers.size === 1) this.read(Math.max(0, Math.min(x, this.u.over.clientWidth)));
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined || before === undefined) return;
    const [was, is] = [Math.abs(before - other), Math.abs(x - other)];
    if (was > 1 && is > 1) this.zoomAt(this.u.posToVal((x + other) / 2, "x"), was / is);
  }

  lift(event: PointerEvent): void {
    this.fingers.delete(event.pointerId);
  }

  private step(way: -1 | 1): void {
    const { u } = this;
    const { times } = this.picture.chart;
    const [from, to] = this.shown();
    const left = u.cursor.left ?? -1;
    const start = left >= 0 ? left : way < 0 ? u.over.clientWidth : 0;
    const at = u.valToIdx(u.posToVal(start, "x"));
    let next = u.valToIdx(u.posToVal(start + way * STEP_PX, "x"));
    if (next === at && left >= 0) next += way;
    const time = times[Math.max(0, Math.min(next, times.length - 1))];
    if (time !== undefined && time >= from && time <= to) this.read(u.valToPos(time, "x"));
  }

  /** As a mouse does by itself, at so many pixels from the left; a negative place reads nothing. */
  private read(left: number): void {
    // Its types do not know the last argument: whether the other charts are told.
    const setCursor = this.u.setCursor as (at: { left: number; top: number }, listen: boolean, tell: boolean) => void;
    setCursor({ left, top: Math.min(left, 0) }, true, true);
  }

  private zoomAt(time: number | null, factor: number): void {
    const [from, to] = this.shown();
    const fixed = time ?? (from + to) / 2;
    this.ask([fixed - (fixed - from) * factor, fixed + (to - fixed) * factor]);
  }

  private ask(part: Part): void {
    const { from, to } = this.picture;
    this.listeners.zoom(within(part, [from, to], LEAST_MS));
  }

  private shown(): Part {
    return this.picture.part ?? [this.picture.from, this.picture.to];
  }

  private show(): void {
    const [min, max] = this.shown();
    this.u.setScale("x", { min, max });
  }

  private data(): uPlot.AlignedData {
    return [this.picture.chart.times, ...this.picture.chart.values] as uPlot.AlignedData;
  }

  private options(width: number): uPlot.Options {
    const colour = (name: string) => () => this.picture.palette(name);
    const font = `${FONT_PX}px ${getComputedStyle(this.box).fontFamily}`;
    const axis: uPlot.Axis = { font, stroke: colour("ink-2"), ticks: { show: false }, gap: 6 };
    return {
      width,
      height: HEIGHT,
      ms: 1,
      padding: [10, 20, 0, 0],
      legend: { show: false },
      focus: { alpha: 1 },
      scales: {
        x: { time: true, range: (_, min, max) => [min, max] },
        y: { range: (_, min, max) => this.axisOf(min, max) },
      },
      axes: [
        { ...axis, size: 26, grid: { show: false }, splits: (u, _, min, max) => timeTicks(min, max, u.width < 420 ? 4 : 6).map(({ at }) => at), values: (u, at) => textsAt(u, at) },
        {
          ...axis,
          size: (_, texts) => 14 + Math.max(24, ...(texts ?? []).map((text) => text.length * FONT_PX * 0.62)),
          grid: { stroke: colour("line"), width: 1 },
          splits: (_, __, min, max) => (min > 0 ? ticks(max - min).map((tick) => min + tick) : ticks(max)),
          values: (_, at) => at.map(valueText),
        },
      ],
      series: [{}, ...this.picture.chart.values.map((_, i) => this.line(i))],
      bands: this.picture.band ? [{ series: [3, 2], fill: () => this.faint("accent", 20) }] : [],
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false, dist: 6 },
        // Where one chart of a page is read, the others show the same moment; what is dragged is told by the page.
        sync: { key: SYNC, scales: ["x", null], setSeries: false, filters: { pub: (type) => type === "mousemove" || type === "mouseleave", sub: () => true } },
        points: { size: 7, width: 0, fill: (_, i) => this.picture.palette(COLOURS[(i - 1) % COLOURS.length]!) },
        bind: {
          dblclick: () => () => {
            this.listeners.zoom(null);
            return null;
          },
        },
      },
      hooks: {
        setCursor: [(u) => this.listeners.read(u.cursor.left !== undefined && u.cursor.left >= 0 ? (u.cursor.idx ?? null) : null)],
        setSelect: [
          (u) => {
            const { left, width: wide } = u.select;
            if (wide > 0) this.ask([u.posToVal(left, "x"), u.posToVal(left + wide, "x")]);
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
        draw: [
          (u) => {
            this.drawLimit(u);
            for (const mark of this.picture.marks) this.drawMark(u, mark);
          },
        ],
      },
    };
  }

  /** From nought, or from a round number below all values, to one above them. */
  private axisOf(min: number | null, max: number | null): [number, number] {
    const [low, high] = [min ?? 0, Math.max(max ?? 0, this.picture.fromLeast ? (this.picture.limit ?? 0) : 0)];
    if (!this.picture.fromLeast || low <= 0) return [0, ticks(high).at(-1)!];
    const step = ticks(Math.max(high - low, 1))[1]!;
    const from = Math.floor(low / step) * step;
    return [from, from + ticks(high - from).at(-1)!];
  }

  private faint(token: string, percent: number): string {
    return `color-mix(in srgb, ${this.picture.palette(token)} ${percent}%, transparent)`;
  }

  private line(i: number): uPlot.Series {
    const edge = this.picture.band && i > 0;
    const stroke = () => (edge ? this.faint("accent", 55) : this.picture.palette(COLOURS[i % COLOURS.length]!));
    return {
      stroke,
      width: edge ? 0.7 : 1.8,
      dash: edge ? [] : DASHES[i % DASHES.length]!,
      spanGaps: false,
      points: { size: 5, width: 0, fill: stroke, show: false, filter: () => alone(this.picture.chart.values[i] ?? []) },
    };
  }

  private drawLimit({ ctx, bbox, valToPos }: uPlot): void {
    const { limit, palette } = this.picture;
    const y = limit === null ? -1 : valToPos(limit, "y", true);
    if (y < bbox.top || y > bbox.top + bbox.height) return;
    ctx.save();
    ctx.strokeStyle = palette("cell-failed");
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }

  private drawMark({ ctx, bbox, valToPos }: uPlot, { at, until, text }: Mark): void {
    const [left, right] = [bbox.left, bbox.left + bbox.width];
    const end = until == null ? null : valToPos(until, "x", true);
    const x = Math.max(valToPos(at, "x", true), end === null ? -Infinity : left);
    if (x < left || x > right || (end !== null && end < left)) return;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = this.picture.palette("warn");
    ctx.lineWidth = 1.5 * devicePixelRatio;
    if (end !== null) {
      ctx.globalAlpha = 0.14;
      ctx.fillRect(x, bbox.top, Math.min(end, right) - x, bbox.height);
      ctx.globalAlpha = 1;
    }
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.font = `600 ${FONT_PX * devicePixelRatio}px ${getComputedStyle(this.box).fontFamily}`;
    ctx.textBaseline = "top";
    ctx.textAlign = x > bbox.left + bbox.width / 2 ? "right" : "left";
    ctx.fillText(text, x + (ctx.textAlign === "right" ? -5 : 5) * devicePixelRatio, bbox.top + 2 * devicePixelRatio);
    ctx.restore();
  }
}

function textsAt(u: uPlot, at: number[]): string[] {
  const known = new Map(timeTicks(u.scales.x!.min!, u.scales.x!.max!, u.width < 420 ? 4 : 6).map((tick) => [tick.at, tick.text]));
  return at.map((time) => known.get(time) ?? "");
}
