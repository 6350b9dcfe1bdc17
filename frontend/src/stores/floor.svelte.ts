/** The floor of one room, fetched once and then kept by the live feed. Drawing reads `model`; pages read the runes. */
import * as api from "../api/calls.ts";
import type { Cell, FloorDocument, Notice } from "../api/shapes.ts";
import type { LiveEvent } from "../live/protocol.ts";
import { live } from "../live/live.svelte.ts";
import { FloorModel } from "../map/model.ts";

class FloorStore {
  model = $state.raw<FloorModel | null>(null);
  document = $state.raw<FloorDocument | null>(null);
  totals = $state.raw<Record<Cell, number> | null>(null);
  notices = $state.raw<Notice[]>([]);
  error = $state<unknown>(null);
  loading = $state(false);
  /** Counts up with every change, for pages that read the model's plain data. */
  version = $state(0);

  private painters = new Set<(racks: Set<number> | null) => void>();
  private arrivedMeanwhile: LiveEvent[] | null = null;
  private room: number | null = null;
  private turn = 0;

  constructor() {
    live.onEvents((events) => this.take(events));
    live.onReset(() => {
      if (this.model || this.loading) void this.load(this.room);
    });
  }

  /** Fetch a room (null: the first). Events that arrive during the fetch are applied on top of its answer. */
  async load(room: number | null): Promise<void> {
    const turn = ++this.turn;
    this.room = room;
    this.loading = true;
    this.arrivedMeanwhile = [];
    try {
      const document = await api.floor(room);
      if (turn !== this.turn) return;
      const model = new FloorModel(document);
      this.notices = document.notices;
      for (const event of this.arrivedMeanwhile) {
        model.apply(event);
        this.takeNotices(event);
      }
      this.document = document;
      this.model = model;
      this.error = null;
      this.changed(null);
      live.follow(document.site.id, document.cursor);
    } catch (error) {
      if (turn === this.turn) this.error = error;
    } finally {
      if (turn === this.turn) {
        this.loading = false;
        this.arrivedMeanwhile = null;
      }
    }
  }

  /** `paint` gets the racks that changed, or null when everything did. Returns the function that stops it. */
  onPaint(paint: (racks: Set<number> | null) => void): () => void {
    this.painters.add(paint);
    return () => this.painters.delete(paint);
  }

  private take(events: LiveEvent[]): void {
    this.arrivedMeanwhile?.push(...events);
    const model = this.model;
    if (!model) return;
    const racks = new Set<number>();
    for (const event of events) {
      if (event.kind === "inventory.reloaded") return void this.load(this.room);
      this.takeNotices(event);
      const rack = model.apply(event);
      if (rack !== null) racks.add(rack);
    }
    if (racks.size) this.changed(racks);
  }

  private takeNotices(event: LiveEvent): void {
    if (event.kind === "notice.changed") this.notices = (event.data.notices as Notice[] | undefined) ?? [];
  }

  private changed(racks: Set<number> | null): void {
    this.totals = this.model?.totals() ?? null;
    this.version += 1;
    this.painters.forEach((paint) => paint(racks));
  }
}

export const floor = new FloorStore();
