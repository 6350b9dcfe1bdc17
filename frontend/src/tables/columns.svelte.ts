/** The columns of a table: which, in which order and how wide, and what it is ordered by. The address says all of it. */
import {
  type Column,
  type ColumnDef,
  columnOrderingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  functionalUpdate,
  rowSortingFeature,
  tableFeatures,
} from "@tanstack/table-core";
import { storeReactivityBindings } from "@tanstack/table-core/store-reactivity-bindings";
import { ReactiveTable } from "../util/table.svelte.ts";
import { choosable, chosenColumns, titleOf } from "./cells.ts";
import type { Row } from "./entry.ts";
import type { Kind, KindField } from "./shapes.ts";

const features = tableFeatures({
  coreReactivityFeature: storeReactivityBindings(),
  columnOrderingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  rowSortingFeature,
});
export type GridColumn = Column<typeof features, Row>;

const WIDTH: Record<KindField["type"], number> = {
  text: 170, integer: 116, number: 116, boolean: 104, choice: 128, date: 132, datetime: 180, reference: 156, list: 200, object: 240,
};
const LETTER_PX = 7.4;
/** Around a heading: its padding, the arrow and the funnel. */
const HEADING_PX = 58;
/** Of the column that stays in sight on a phone. */
const PHONE_FIRST_PX = 132;

interface Address {
  kind: Kind;
  /** Names with commas between; null for those one starts with. */
  columns: string | null;
  /** Name of a field, with a minus when descending. */
  ordering: string | null;
  phone: boolean;
}

export class Columns {
  private readonly table: ReactiveTable<typeof features, Row>;

  constructor(
    private readonly address: () => Address,
    set: (changes: { columns?: string | null; ordering?: string | null }) => void,
  ) {
    this.table = new ReactiveTable(() => {
      const columnOrder = this.fields.map((field) => field.name);
      const columnVisibility = Object.fromEntries(this.known.map((field) => [field.name, columnOrder.includes(field.name)]));
      return {
        features,
        data: NO_ROWS,
        columns: this.defs,
        // Rows come sorted from the server; the table only knows by what.
        manualSorting: true,
        sortDescFirst: false,
        enableMultiSort: false,
        state: { columnOrder, columnVisibility, columnSizing: this.sizes, sorting: this.sorting },
        onColumnOrderChange: (next) => set({ columns: functionalUpdate(next, columnOrder).join(",") }),
        onColumnVisibilityChange: (next) => {
          const shown = functionalUpdate(next, columnVisibility);
          set({ columns: [...new Set([...columnOrder, ...Object.keys(shown)])].filter((name) => shown[name]).join(",") });
        },
        onSortingChange: (next) => {
          const [by] = functionalUpdate(next, this.sorting);
          set({ ordering: by ? `${by.desc ? "-" : ""}${by.id}` : null });
        },
      };
    });
    this.reset = () => set({ columns: null });
  }

  /** Back to the columns one starts with. */
  readonly reset: () => void;

  private readonly known = $derived.by(() => choosable(this.address().kind));
  /** Fields of the columns shown, from the left. */
  readonly fields = $derived.by(() => chosenColumns(this.address().kind, this.address().columns));
  private readonly defs = $derived(this.known.map(defOf));
  private readonly sizes = $derived.by(() => {
    const first = this.fields[0];
    return this.address().phone && first ? { [first.name]: PHONE_FIRST_PX } : NO_SIZES;
  });
  private readonly sorting = $derived.by(() => {
    const { ordering } = this.address();
    return ordering ? [{ id: ordering.replace(/^-/, ""), desc: ordering.startsWith("-") }] : NOT_SORTED;
  });

  /** Columns shown, from the left. */
  get shown(): GridColumn[] {
    return this.table.now.getVisibleLeafColumns();
  }

  /** Columns that could be shown too. */
  get hidden(): GridColumn[] {
    return this.table.now.getAllLeafColumns().filter((column) => !column.getIsVisible());
  }

  /** Pixels of all columns shown. */
  get width(): number {
    return this.table.now.getTotalSize();
  }

  fieldOf(column: GridColumn): KindField {
    return this.known.find((field) => field.name === column.id)!;
  }

  /** One place further left (-1) or right (1). */
  shift(column: GridColumn, by: -1 | 1): void {
    const names = this.fields.map((field) => field.name);
    const at = names.indexOf(column.id);
    names.splice(at + by, 0, ...names.splice(at, 1));
    this.table.now.setColumnOrder(names);
  }
}

function defOf(field: KindField): ColumnDef<typeof features, Row> {
  return {
    id: field.name,
    accessorFn: (row) => row[field.name],
    size: Math.max(WIDTH[field.type], titleOf(field).length * LETTER_PX + HEADING_PX),
    enableSorting: field.ordered,
  };
}

// One object each, so that nothing seems to have changed.
const NO_ROWS: Row[] = [];
const NO_SIZES = {};
const NOT_SORTED: { id: string; desc: boolean }[] = [];
