/** What the charts of a page mark, in the words of those who saw it. A page says what it is about; its charts follow. */
import { getContext, setContext } from "svelte";
import { Resource } from "../stores/resource.svelte.ts";
import * as calls from "./calls.ts";
import { inSpan } from "./marks.ts";
import type { Annotation } from "./shapes.ts";

export interface About {
  site: number;
  /** In ms. */
  from: number;
  to: number;
  /** Whose annotations are shown beside those of the whole site; null: everybody's. */
  devices: { id: number; name: string }[] | null;
}

const KEY = Symbol("annotations");

export class Annotations {
  about = $derived.by<About | null>(() => this.asked());
  readonly resource = new Resource(async () => (this.about ? await calls.annotations(this.about.site, new Date(this.about.to).toISOString()) : []));
  shown = $derived<Annotation[]>(this.about ? inSpan(this.resource.data ?? [], this.about) : []);
  /** Where a chart was read last, in ms: a new one begins there. */
  readAt = $state<number | null>(null);

  constructor(private readonly asked: () => About | null) {}
}

/** For the script of a page: its charts mark what was said about this. */
export function annotated(about: () => About | null): Annotations {
  const annotations = new Annotations(about);
  const asked = $derived(annotations.about && `${annotations.about.site} ${annotations.about.to}`);
  $effect(() => {
    if (asked) return annotations.resource.follow((event) => event.kind === "inventory.reloaded");
  });
  setContext(KEY, annotations);
  return annotations;
}

export const annotationsOfPage = (): Annotations | undefined => getContext<Annotations | undefined>(KEY);
