/** What browser tests need to know about the canvas, which has no elements to ask.
 *
 * `window.__rackside.cellOf("hgx-a17-03")` is the cell on screen, or null; `rackAt("A17")` is the middle of the rack
 * in page coordinates, or null when the map is not shown.
 */
import type { Cell } from "./api/types.ts";
import { floor } from "./stores/floor.svelte.ts";

type RackAt = (name: string) => { x: number; y: number } | null;

declare global {
  interface Window {
    __rackside: { cellOf(machineName: string): Cell | null; rackAt: RackAt };
  }
}

const cellOf = (name: string): Cell | null => floor.model?.machineNamed(name)?.cell ?? null;
const nowhere: RackAt = () => null;

/** Offer the hooks for a map on screen; returns the function that withdraws its part. */
export function offerTestHooks(rackAt: RackAt): () => void {
  window.__rackside = { cellOf, rackAt };
  return () => (window.__rackside = { cellOf, rackAt: nowhere });
}
