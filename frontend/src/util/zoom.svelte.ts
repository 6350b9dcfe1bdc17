/** Which part of its span a chart shows; the charts of a page zoom together, and the part stands in the address. */
import { getContext, setContext } from "svelte";
import { router } from "../router.svelte.ts";

/** From and to in ms. */
export type Part = [number, number];

const KEY = Symbol("zoom");
/** Pinching changes it with every move; the address follows when it rests. */
const REMEMBER_MS = 350;

/** `1767225600000-1767312000000`, as the address has it; null for none and for nonsense. */
export function partOf(text: string | null): Part | null {
  const found = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? "");
  const [from, to] = [Number(found?.[1]), Number(found?.[2])];
  return from < to ? [from, to] : null;
}

export const textOf = (part: Part | null): string | null => part && part.map(Math.round).join("-");

export class Zoom {
  part = $state.raw<Part | null>(null);

  constructor(private readonly remember?: (part: Part | null) => void) {}

  to(part: Part | null): void {
    this.part = part;
    this.remember?.(part);
  }
}

/** For the script of a page: its charts zoom together from here on. */
export function zoomTogether(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const zoom = new Zoom((part) => {
    clearTimeout(timer);
    timer = setTimeout(() => router.set({ zoom: textOf(part) }), REMEMBER_MS);
  });
  const kept = $derived(router.query.get("zoom"));
  $effect.pre(() => {
    zoom.part = partOf(kept);
  });
  $effect(() => () => clearTimeout(timer));
  setContext(KEY, zoom);
}

/** The zoom of the page, or one of the chart's own. */
export const zoomOfPage = (): Zoom => getContext<Zoom | undefined>(KEY) ?? new Zoom();
