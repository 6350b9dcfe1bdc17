/** The rows of a table: fetched page by page, those in sight first, the others behind them. */
import type { AnyQuery } from "../api/client.ts";
import * as calls from "./calls.ts";
import type { Row } from "./entry.ts";

/** So many rows are fetched without being asked for; those of a longer list when they come in sight. */
const AHEAD = 20_000;

export class TableRows {
  count = $state<number | null>(null);
  loaded = $state(0);
  error = $state<unknown>(null);
  /** Goes up when rows came or changed; rows themselves are not reactive. */
  version = $state(0);
  private rows: (Row | undefined)[] = [];
  private places = new Map<number, number>();
  private pages = new Set<number>();
  private wanted: number[] = [];
  private running = false;
  private abort = new AbortController();
  private kind = "";
  private query: AnyQuery = {};

  /** Start over with another question; what is on screen stays until the first answer. */
  async load(kind: string, query: AnyQuery): Promise<void> {
    this.abort.abort();
    this.abort = new AbortController();
    [this.kind, this.query] = [kind, query];
    this.pages.clear();
    this.wanted = [];
    this.error = null;
    this.running = false;
    await this.fetch([1], true);
    const last = Math.ceil(Math.min(this.count ?? 0, AHEAD) / calls.PAGE_SIZE);
    void this.fetch(Array.from({ length: Math.max(last - 1, 0) }, (_, at) => at + 2));
  }

  stop(): void {
    this.abort.abort();
  }

  at(index: number): Row | undefined {
    return this.rows[index];
  }

  byId(id: number): Row | undefined {
    const place = this.places.get(id);
    return place === undefined ? undefined : this.rows[place];
  }

  /** Rows from `first` up to `end` are in sight. */
  need(first: number, end: number): void {
    if (this.count === null) return;
    const pages: number[] = [];
    for (let page = Math.floor(first / calls.PAGE_SIZE) + 1; page <= Math.ceil(Math.min(end, this.count) / calls.PAGE_SIZE); page += 1) {
      if (!this.pages.has(page)) pages.push(page);
    }
    if (pages.length) void this.fetch(pages);
  }

  /** All ids in the table's order; fetches what is not there yet. */
  async ids(): Promise<number[]> {
    const missing = Array.from({ length: Math.ceil((this.count ?? 0) / calls.PAGE_SIZE) }, (_, at) => at + 1).filter((page) => !this.pages.has(page));
    if (missing.length) await this.fetch(missing);
    while (this.running) await new Promise((resolve) => setTimeout(resolve, 50));
    if (this.error) throw this.error;
    return this.rows.flatMap((row) => row?.id ?? []);
  }

  /** Put in what a write returned. */
  put(changed: Row[]): void {
    for (const row of changed) {
      const place = this.places.get(row.id);
      if (place !== undefined) this.rows[place] = row;
    }
    this.version += 1;
  }

  private async fetch(pages: number[], fresh = false): Promise<void> {
    // What is in sight now comes before what was to come.
    this.wanted = [...pages, ...this.wanted.filter((page) => !pages.includes(page))];
    if (this.running) return;
    this.running = true;
    const { signal } = this.abort;
    try {
      for (let page = this.wanted.shift(); page !== undefined; page = this.wanted.shift()) {
        if (this.pages.has(page)) continue;
        const answer = await calls.rows(this.kind, { ...this.query, page, page_size: calls.PAGE_SIZE }, signal);
        if (signal.aborted) return;
        this.take(page, answer.results, answer.count, fresh);
        fresh = false;
      }
      this.error = null;
    } catch (error) {
      if (!signal.aborted) this.error = error;
    } finally {
      if (!signal.aborted) this.running = false;
    }
  }

  private take(page: number, results: Row[], count: number, fresh: boolean): void {
    if (fresh) {
      this.rows = [];
      this.places.clear();
      this.loaded = 0;
    }
    const start = (page - 1) * calls.PAGE_SIZE;
    results.forEach((row, at) => {
      this.rows[start + at] = row;
      this.places.set(row.id, start + at);
    });
    this.rows.length = count;
    this.pages.add(page);
    this.count = count;
    this.loaded = Math.min(this.loaded + results.length, count);
    this.version += 1;
  }
}
