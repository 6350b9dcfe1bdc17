/** A rack by height: what sits in it, and the inlet beside it, now and with its gap closed. Geometry in pixels. Pure. */
import type { Height, ProfilePoint, RackPower } from "./shapes.ts";
import { HEIGHT_WORD, unitsText } from "./words.ts";

/** Of one unit. */
export const UNIT_PX = 10.5;
const TOP = 4;
/** Less is below what a sensor tells apart. */
const FELT_C = 0.3;
/** An open gap that costs less is drawn quietly: the list says what closing it brings. */
const LOUD_C = 1;
const NUMBERS = 20;

export interface Block extends Pick<Height, "kind" | "state" | "device"> {
  y: number;
  h: number;
  title: string;
  note: string;
}

export interface Dot {
  x: number;
  y: number;
  hot: boolean;
}

export interface Picture {
  width: number;
  height: number;
  /** Lower edge of the rack. */
  foot: number;
  rack: { x: number; w: number };
  plot: { x: number; w: number };
  numbers: { u: number; y: number }[];
  blocks: Block[];
  /** Degrees along the bottom. */
  degrees: { at: number; x: number; text: string }[];
  /** Where the recommended band ends. */
  recommended: number | null;
  now: string;
  closed: string;
  dots: Dot[];
  /** Numbers beside the line, one a machine. */
  readings: { x: number; y: number; text: string; strong: boolean }[];
  /** Open units; `harms` where closing them is worth a work order. */
  gaps: { y: number; h: number; text: string; harms: boolean }[];
  /** What closing the gap takes off, where it does most. */
  benefit: { x: number; to: number; y: number; text: string } | null;
}

const middle = (heightU: number, u: number): number => TOP + (heightU - u + 0.5) * UNIT_PX;

export function pictureOf(data: Pick<RackPower, "rack" | "heights" | "profile" | "inlet_recommended_c" | "gaps">, width: number): Picture {
  const { height_u: units } = data.rack;
  const foot = TOP + units * UNIT_PX;
  const rackWidth = Math.round(Math.min(Math.max(width * 0.36, 110), 220));
  const rack = { x: NUMBERS + 2, w: rackWidth };
  const plot = { x: NUMBERS + rackWidth + 26, w: Math.max(width - NUMBERS - rackWidth - 30, 80) };
  const known = data.profile.flatMap((point) => [point.inlet_c, point.closed_c]).filter((value) => value !== null);
  const [low, high] = domain(known, data.inlet_recommended_c);
  const x = (celsius: number) => plot.x + ((celsius - low) / (high - low)) * plot.w;
  const y = (u: number) => middle(units, u);
  const points = [...data.profile].sort((a, b) => a.u - b.u);
  const limit = data.inlet_recommended_c;
  const step = ((high - low) / 2) * 26 > plot.w ? 4 : 2;
  const benefit = mostBenefit(points);
  return {
    width,
    height: foot + 20,
    foot,
    rack,
    plot,
    numbers: Array.from({ length: units }, (_, i) => i + 1).filter((u) => u === 1 || u === units || u % 4 === 0).map((u) => ({ u, y: y(u) + 3 })),
    blocks: data.heights.map((height) => blockOf(height, units, rackWidth > 150)),
    degrees: Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => low + i * step).map((at) => ({ at, x: x(at), text: at + step > high ? `${at} °C` : String(at) })),
    recommended: limit === null ? null : Math.min(Math.max(x(limit), plot.x), plot.x + plot.w),
    now: path(points, (point) => point.inlet_c, x, y),
    closed: path(points, (point) => point.closed_c, x, y),
    dots: points.filter((point) => point.inlet_c !== null).map((point) => ({ x: x(point.inlet_c!), y: y(point.u), hot: limit !== null && point.inlet_c! > limit })),
    readings: data.heights
      .filter((height) => height.kind === "machine" && height.inlet_c !== null)
      .map((height) => ({ x: x(height.inlet_c!) + 12, y: y((height.from_u + height.to_u) / 2) + 4, text: height.inlet_c!.toFixed(1), strong: limit !== null && height.inlet_c! > limit })),
    gaps: data.heights.filter((height) => height.kind === "open").map((height) => ({ y: y(height.to_u) - UNIT_PX / 2, h: (height.to_u - height.from_u + 1) * UNIT_PX, text: `${unitsText(height.from_u, height.to_u)} open`, harms: data.gaps.some((gap) => gap.from_u <= height.to_u && gap.to_u >= height.from_u && gap.benefit_c >= LOUD_C) })),
    benefit: benefit && { x: x(benefit.inlet_c), to: x(benefit.closed_c), y: y(benefit.u), text: `−${benefit.by.toFixed(1)}` },
  };
}

/** From and to in even degrees, with a degree of air, and the limit in sight. */
function domain(known: number[], limit: number | null): [number, number] {
  const all = limit === null ? known : [...known, limit];
  if (!all.length) return [18, 30];
  return [2 * Math.floor((Math.min(...all) - 1) / 2), 2 * Math.ceil((Math.max(...all) + 2) / 2)];
}

function blockOf(height: Height, units: number, roomy: boolean): Block {
  const count = height.to_u - height.from_u + 1;
  const title = height.device?.name ?? (height.kind === "panel" ? (count > 1 ? `blanking panels, ${count}U` : "") : `${unitsText(height.from_u, height.to_u)} ${HEIGHT_WORD[height.kind].toLowerCase()}`);
  return {
    kind: height.kind,
    state: height.state,
    device: height.device,
    y: middle(units, height.to_u) - UNIT_PX / 2,
    h: count * UNIT_PX,
    title,
    note: height.kind === "machine" ? [unitsText(height.from_u, height.to_u), height.fan_rpm === null ? "" : `fans ${(height.fan_rpm / 1_000).toFixed(1)}k${roomy ? " rpm" : ""}`].filter(Boolean).join(" · ") : "",
  };
}

/** Lines break where nothing was measured. */
function path(points: ProfilePoint[], value: (point: ProfilePoint) => number | null, x: (celsius: number) => number, y: (u: number) => number): string {
  let draws = false;
  return points
    .map((point) => {
      const celsius = value(point);
      const part = celsius === null ? "" : `${draws ? "L" : "M"}${x(celsius).toFixed(1)} ${y(point.u).toFixed(1)}`;
      draws = celsius !== null;
      return part;
    })
    .join("");
}

interface Benefit {
  u: number;
  inlet_c: number;
  closed_c: number;
  by: number;
}

/** Where the gap does most harm. */
function mostBenefit(points: ProfilePoint[]): Benefit | null {
  const found = points.flatMap(({ u, inlet_c, closed_c }): Benefit[] => (inlet_c === null || closed_c === null || inlet_c - closed_c < FELT_C ? [] : [{ u, inlet_c, closed_c, by: inlet_c - closed_c }]));
  return found.length ? found.reduce((best, each) => (each.by >= best.by ? each : best)) : null;
}

/** The picture in one sentence, for who does not see it. */
export function profileWords({ profile, heights, gaps }: Pick<RackPower, "profile" | "heights" | "gaps">): string {
  const known = profile.filter((point) => point.inlet_c !== null).sort((a, b) => a.u - b.u);
  if (!known.length) return "Inlet by height: no sensor answers";
  const [first, last] = [known[0]!, known.at(-1)!];
  const open = heights.filter((height) => height.kind === "open").map((height) => unitsText(height.from_u, height.to_u));
  const benefit = gaps.find((gap) => gap.benefit_c);
  return [
    `Inlet by height: ${first.inlet_c!.toFixed(1)} °C at U${first.u}, ${last.inlet_c!.toFixed(1)} °C at U${last.u}`,
    open.length ? `open: ${open.join(", ")}` : "no open gap",
    benefit ? `${benefit.benefit_c.toFixed(1)} °C less with ${unitsText(benefit.from_u, benefit.to_u)} closed` : "",
  ]
    .filter(Boolean)
    .join("; ");
}
