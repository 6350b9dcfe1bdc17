/** TanStack Table's core under runes. State is ours (the address has it) and comes in with the options. */
import { constructTable, type RowData, type Table, type TableFeatures, type TableOptions } from "@tanstack/table-core";
import { untrack } from "svelte";

/** A table that is read anew wherever it is read, whenever something changes that `options` reads. */
export class ReactiveTable<F extends TableFeatures, T extends RowData> {
  private readonly table: Table<F, T>;
  constructor(private readonly options: () => TableOptions<F, T>) {
    this.table = untrack(() => constructTable(options()));
  }
  private readonly fresh = $derived.by(() => {
    const options = this.options();
    this.table.setOptions((before) => ({ ...before, ...options }));
    // The table is one object for life; only a new one tells readers to look again.
    return { table: this.table };
  });
  get now(): Table<F, T> {
    return this.fresh.table;
  }
}
