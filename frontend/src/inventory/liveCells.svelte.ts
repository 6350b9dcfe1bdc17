/** States of machines as the feed has them since the last answer; pictures of many racks need no new fetch. */
import { untrack } from "svelte";
import type { Cell } from "../api/shapes.ts";
import type { LiveEvent } from "../live/protocol.ts";
import { live } from "../live/live.svelte.ts";

export class LiveCells {
  private news = new Map<number, Cell>();
  private version = $state(0);

  /** For the body of an `$effect`; returns its clean-up. */
  follow(): () => void {
    return live.onEvents((events) => this.take(events));
  }

  /** A fresh answer is newer than all that was heard before. */
  clear(): void {
    this.news.clear();
    // Called from effects, which would otherwise wait for what they themselves change.
    untrack(() => (this.version += 1));
  }

  of(item: { machine: number | null; cell: Cell | null }): Cell | null {
    void this.version;
    return (item.machine === null ? undefined : this.news.get(item.machine)) ?? item.cell;
  }

  private take(events: LiveEvent[]): void {
    let changed = false;
    for (const event of events) {
      if (event.kind !== "machine.changed" || !event.data.cell) continue;
      this.news.set(Number(event.data.id), event.data.cell as Cell);
      changed = true;
    }
    if (changed) this.version += 1;
  }
}
