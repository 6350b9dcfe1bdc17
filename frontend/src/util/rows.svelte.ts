/** The rows of a long list that are in sight, by TanStack Virtual under runes. All rows are of one height. */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import { untrack } from "svelte";

interface List {
  count: number;
  /** Of one row, in pixels. */
  height: number;
  /** Rows drawn above and below what is in sight. */
  spare?: number;
}

export class RowsInSight {
  /** Counts up when other rows come in sight; the virtualizer itself is plain data. */
  private version = $state(0);
  /** Height of the box that scrolls, in pixels. */
  viewHeight = $state(FIRST_HEIGHT);
  private readonly rows: Virtualizer<HTMLElement, HTMLElement>;
  private scrolled: (offset: number, scrolling: boolean) => void = () => undefined;

  /** In a component's script: `box` is the element that scrolls. */
  constructor(
    private readonly box: () => HTMLElement | undefined | null,
    private readonly list: () => List,
  ) {
    this.rows = new Virtualizer(untrack(() => this.options()));
    $effect(() => this.rows._didMount());
    $effect(() => {
      void this.box();
      untrack(() => this.rows._willUpdate());
    });
  }

  private readonly view = $derived.by(() => {
    void this.version;
    this.rows.setOptions(this.options());
    const items = this.rows.getVirtualItems();
    const { count, height } = this.list();
    const [first, end] = items.length ? [items[0]!.index, items.at(-1)!.index + 1] : [0, 0];
    return { first, end, above: first * height, below: (count - end) * height };
  });

  get first(): number {
    return this.view.first;
  }

  /** One past the last row. */
  get end(): number {
    return this.view.end;
  }

  /** Pixels of rows that are not drawn. */
  get above(): number {
    return this.view.above;
  }

  get below(): number {
    return this.view.below;
  }

  /** After the box was scrolled by us: the rows follow at once; the event of the scroll comes a frame later. */
  follow(): void {
    this.scrolled(this.box()?.scrollTop ?? 0, false);
  }

  private options() {
    const { count, height, spare = 8 } = this.list();
    return {
      count,
      overscan: spare,
      estimateSize: () => height,
      initialRect: { width: 0, height: FIRST_HEIGHT },
      getScrollElement: () => this.box() ?? null,
      scrollToFn: elementScroll,
      observeElementRect: (instance: Virtualizer<HTMLElement, HTMLElement>, tell: (rect: { width: number; height: number }) => void) =>
        observeElementRect(instance, (rect) => {
          this.viewHeight = rect.height;
          tell(rect);
        }),
      observeElementOffset: (instance: Virtualizer<HTMLElement, HTMLElement>, tell: (offset: number, scrolling: boolean) => void) => {
        this.scrolled = tell;
        return observeElementOffset(instance, tell);
      },
      onChange: () => (this.version += 1),
    };
  }
}
/** What is assumed until the box is measured, so that the first picture already has rows. */
const FIRST_HEIGHT = 600;
