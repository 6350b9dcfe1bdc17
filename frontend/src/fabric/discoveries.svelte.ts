/** Discoveries under way, by source: those started here, and those somebody else or the clock started. */
import type { LiveEvent } from "../live/protocol.ts";
import { live } from "../live/live.svelte.ts";
import * as calls from "./calls.ts";
import type { Discovery } from "./shapes.ts";
import { discoveryRuns } from "./words.ts";

/** Progress also comes as events; this is for when the feed is lost. */
const POLL_MS = 3_000;

export class RunningDiscoveries {
  /** The newest known discovery of each source, until the page is left. */
  bySource = $state<Record<number, Discovery>>({});

  /** Body of an `$effect`. */
  follow(site: number | null): () => void {
    calls.discoveries({ source__site: site, page_size: 20 }).then(
      (page) => page.results.filter((each) => discoveryRuns(each.status)).forEach((each) => this.put(each)),
      // The sources themselves tell what is wrong; progress is only company.
      () => undefined,
    );
    const stop = live.onEvents((events) => {
      for (const id of new Set(events.map(discoveryOf).filter((id) => id !== null))) void this.fetch(id);
    });
    const poll = setInterval(() => {
      if (document.hidden) return;
      Object.values(this.bySource).filter((each) => discoveryRuns(each.status)).forEach((each) => void this.fetch(each.id));
    }, POLL_MS);
    return () => {
      stop();
      clearInterval(poll);
    };
  }

  async start(source: number): Promise<void> {
    this.put(await calls.discover(source));
  }

  put(discovery: Discovery): void {
    const known = this.bySource[discovery.source];
    if (!known || known.id <= discovery.id) this.bySource[discovery.source] = discovery;
  }

  private async fetch(id: number): Promise<void> {
    try {
      this.put(await calls.discovery(id));
    } catch {
      // The next event or turn asks again.
    }
  }
}

function discoveryOf(event: LiveEvent): number | null {
  return event.kind.startsWith("discovery.") ? Number(event.data.discovery) || null : null;
}
