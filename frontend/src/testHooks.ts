/** What browser tests need to know about the canvas, which has no elements to ask.
 *
 * `window.__rackside.cellOf("hgx-a17-03")` is the cell on screen, or null; `shownOf` the look on a map of another layer;
 * `rackAt("A17")` is the middle of the rack and `rowAt("A")` the row's letter in page coordinates, or null when the map is
 * not shown.
 */
import type { Cell } from "./api/shapes.ts";
import { floor } from "./stores/floor.svelte.ts";

type At = (name: string) => { x: number; y: number } | null;
type CellOf = (machineName: string) => Cell | null;

interface MapHooks {
  rackAt: At;
  rowAt: At;
  shownOf: CellOf;
}

declare global {
  interface Window {
    __rackside: MapHooks & { cellOf: CellOf };
  }
}

const cellOf: CellOf = (name) => floor.model?.machineNamed(name)?.cell ?? null;
const NO_MAP: MapHooks = { rackAt: () => null, rowAt: () => null, shownOf: () => null };

/** Offer the hooks of a map on screen; returns the function that withdraws them. */
export function offerTestHooks(map: MapHooks): () => void {
  window.__rackside = { cellOf, ...map };
  return () => (window.__rackside = { cellOf, ...NO_MAP });
}
