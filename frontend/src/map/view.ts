/** How the floor is shown: pixels = millimetres × scale + offset. All functions return a new view. */
import type { Box } from "./geometry.ts";

export interface View {
  scale: number;
  tx: number;
  ty: number;
}

export interface Size {
  w: number;
  h: number;
}

/** How far one may zoom in beyond "Fit". */
export const MAX_ZOOM = 14;
const MIN_ZOOM = 0.6;

export const toScreen = (view: View, x: number, y: number) => ({ x: x * view.scale + view.tx, y: y * view.scale + view.ty });
export const toWorld = (view: View, x: number, y: number) => ({ x: (x - view.tx) / view.scale, y: (y - view.ty) / view.scale });

/** All of `bounds`, centred. */
export function fit(bounds: Box, size: Size): View {
  const scale = Math.max(Math.min(size.w / bounds.w, size.h / bounds.h), 1e-6);
  return {
    scale,
    tx: (size.w - bounds.w * scale) / 2 - bounds.x * scale,
    ty: (size.h - bounds.h * scale) / 2 - bounds.y * scale,
  };
}

/** Zoom by a factor; the point of the floor under (x, y) stays there. */
export function zoomAt(view: View, x: number, y: number, factor: number, bounds: Box, size: Size): View {
  const base = fit(bounds, size).scale;
  const scale = Math.min(Math.max(view.scale * factor, base * MIN_ZOOM), base * MAX_ZOOM);
  const k = scale / view.scale;
  return { scale, tx: x - (x - view.tx) * k, ty: y - (y - view.ty) * k };
}

export const pan = (view: View, dx: number, dy: number): View => ({ ...view, tx: view.tx + dx, ty: view.ty + dy });

/** Keep at least a third of the window filled with floor, so that nobody loses the map. */
export function keepInSight(view: View, bounds: Box, size: Size): View {
  const limit = (offset: number, start: number, length: number, window: number) => {
    const low = window / 3 - (start + length) * view.scale;
    const high = (window * 2) / 3 - start * view.scale;
    return Math.min(Math.max(offset, low), high);
  };
  return { ...view, tx: limit(view.tx, bounds.x, bounds.w, size.w), ty: limit(view.ty, bounds.y, bounds.h, size.h) };
}

/** Move just enough that a box is inside the window, with a margin in pixels. */
export function reveal(view: View, box: Box, size: Size, margin = 24): View {
  const a = toScreen(view, box.x, box.y);
  const b = toScreen(view, box.x + box.w, box.y + box.h);
  const shift = (low: number, high: number, window: number) =>
    low < margin ? margin - low : high > window - margin ? window - margin - high : 0;
  return pan(view, shift(a.x, b.x, size.w), shift(a.y, b.y, size.h));
}

/** For the address bar: the floor's point in the middle (centimetres) and the zoom relative to "Fit". */
export function toText(view: View, bounds: Box, size: Size): string {
  const middle = toWorld(view, size.w / 2, size.h / 2);
  const zoom = view.scale / fit(bounds, size).scale;
  return `${Math.round(middle.x / 10)},${Math.round(middle.y / 10)},${zoom.toFixed(2)}`;
}

export function fromText(text: string, bounds: Box, size: Size): View | null {
  const [x, y, zoom] = text.split(",").map(Number);
  if (x === undefined || y === undefined || zoom === undefined || ![x, y, zoom].every(Number.isFinite)) return null;
  const scale = fit(bounds, size).scale * Math.min(Math.max(zoom, MIN_ZOOM), MAX_ZOOM);
  return keepInSight({ scale, tx: size.w / 2 - x * 10 * scale, ty: size.h / 2 - y * 10 * scale }, bounds, size);
}
