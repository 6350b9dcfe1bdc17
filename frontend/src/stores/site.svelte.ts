/** Which site is shown: the one in the address, else the first one of the user. */
import { router } from "../router.svelte.ts";
import { session } from "./session.svelte.ts";

class ShownSite {
  readonly all = $derived(session.me?.sites ?? []);
  readonly id = $derived.by(() => {
    const wanted = Number(router.query.get("site"));
    return this.all.find((site) => site.id === wanted)?.id ?? this.all[0]?.id ?? null;
  });

  /** Of a setting: none is of every site. */
  nameOf(id: number | null | undefined): string {
    return id == null ? "every site" : (this.all.find((site) => site.id === id)?.name ?? `site ${id}`);
  }
}

export const shownSite = new ShownSite();
