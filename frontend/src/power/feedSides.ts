/** Which feed of each side is shown below the floor. Pure. */
import type { FeedItem, RackPower } from "./shapes.ts";

export interface SideFeed {
  id: number;
  name: string;
  side: string;
}

/** The feeds of the rack where one is chosen, else the fullest of each side; sides in their order. */
export function sidesOf(feeds: readonly FeedItem[], rack: RackPower | null): SideFeed[] {
  const own = (rack?.feeds ?? []).filter((each) => each.feed !== null).map((each) => ({ ...each.feed!, side: each.side }));
  const all = own.length ? own : [...feeds].sort((a, b) => (b.share ?? -1) - (a.share ?? -1) || a.name.localeCompare(b.name, "en", { numeric: true }));
  const sides = new Map<string, SideFeed>();
  for (const { id, name, side } of all) if (!sides.has(side)) sides.set(side, { id, name, side });
  return [...sides.values()].sort((a, b) => a.side.localeCompare(b.side));
}
