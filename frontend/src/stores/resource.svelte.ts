/** Something fetched: its data, what went wrong, and a quiet way to fetch it again when the live feed says so. */
import { live } from "../live/live.svelte.ts";
import type { LiveEvent } from "../live/protocol.ts";

/** Events come in bursts; one fetch answers a burst. */
const SETTLE_MS = 150;

export class Resource<T> {
  data = $state.raw<T | null>(null);
  error = $state<unknown>(null);
  loading = $state(false);
  private turn = 0;
  private settle: ReturnType<typeof setTimeout> | undefined;

  /** A large answer may settle longer than the usual moment. */
  constructor(
    private readonly fetcher: () => Promise<T>,
    private readonly settleMs = SETTLE_MS,
  ) {}

  /** Fetch; the old data stays on screen meanwhile. Of overlapping fetches the one started last wins. */
  async load(): Promise<void> {
    const turn = ++this.turn;
    this.loading = true;
    try {
      const data = await this.fetcher();
      if (turn === this.turn) {
        this.data = data;
        this.error = null;
      }
    } catch (error) {
      if (turn === this.turn) this.error = error;
    } finally {
      if (turn === this.turn) this.loading = false;
    }
  }

  /** Put in what an action returned; a fetch still under way is older and is dropped. */
  put(data: T): void {
    this.turn += 1;
    this.loading = false;
    this.error = null;
    this.data = data;
  }

  soon(): void {
    this.settle ??= setTimeout(() => {
      this.settle = undefined;
      void this.load();
    }, this.settleMs);
  }

  /** Load now, and again whenever an event concerns it. For use as the body of an `$effect`; returns its clean-up. */
  follow(concerns: (event: LiveEvent) => boolean): () => void {
    void this.load();
    const stops = [
      live.onEvents((events) => {
        if (events.some(concerns)) this.soon();
      }),
      live.onReset(() => this.soon()),
    ];
    return () => {
      clearTimeout(this.settle);
      this.settle = undefined;
      this.turn += 1;
      stops.forEach((stop) => stop());
    };
  }
}
