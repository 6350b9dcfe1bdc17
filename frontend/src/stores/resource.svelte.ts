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
  /** What is on its way is out of date already: it is fetched once more when it is there. */
  private again = false;

  /** A large answer may settle longer than the usual moment. */
  constructor(
    private readonly fetcher: () => Promise<T>,
    private readonly settleMs = SETTLE_MS,
  ) {}

  /** Fetch now; the old data stays on screen meanwhile. Of overlapping fetches the one started last wins. */
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
      if (turn === this.turn) this.arrived();
    }
  }

  /** Show this until the first answer. */
  begin(data: T): void {
    this.data ??= data;
  }

  /** Put in what an action returned; a fetch still under way is older and is dropped. */
  put(data: T): void {
    this.turn += 1;
    this.error = null;
    this.data = data;
    this.arrived();
  }

  /** After a burst. What is on its way is waited for: a feed that never rests would drop every answer before it comes. */
  soon(): void {
    this.settle ??= setTimeout(() => {
      this.settle = undefined;
      if (this.loading) this.again = true;
      else void this.load();
    }, this.settleMs);
  }

  /** After a connection was lost: what was asked over it may never be answered. */
  private anew(): void {
    clearTimeout(this.settle);
    this.settle = setTimeout(() => {
      this.settle = undefined;
      void this.load();
    }, this.settleMs);
  }

  private arrived(): void {
    this.loading = false;
    if (!this.again) return;
    this.again = false;
    this.soon();
  }

  /** Load now, and again whenever an event concerns it. For use as the body of an `$effect`; returns its clean-up. */
  follow(concerns: (event: LiveEvent) => boolean): () => void {
    void this.load();
    const stops = [
      live.onEvents((events) => {
        if (events.some(concerns)) this.soon();
      }),
      live.onReset(() => this.anew()),
    ];
    return () => {
      clearTimeout(this.settle);
      this.settle = undefined;
      this.again = this.loading = false;
      this.turn += 1;
      stops.forEach((stop) => stop());
    };
  }
}
