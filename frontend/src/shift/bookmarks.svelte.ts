/** Favourites and saved views: fetched when first shown, kept on the server. */
import type { Schemas } from "../api/schema.ts";
import { router } from "../router.svelte.ts";
import { page } from "../stores/page.svelte.ts";
import { toast } from "../stores/toast.svelte.ts";
import * as api from "./calls.ts";
import { favouriteUrl } from "./kept.ts";

export type Bookmark = Schemas["Bookmark"];

class Bookmarks {
  all = $state.raw<Bookmark[]>([]);
  error = $state.raw<unknown>(null);
  private asked: Promise<void> | null = null;
  /** The page on screen as a favourite of its reader. */
  readonly ofPage = $derived.by(() => {
    const url = favouriteUrl(router.route.name, router.path);
    return this.all.find((each) => each.kind === "favourite" && each.mine && each.url === url) ?? null;
  });

  load(): Promise<void> {
    this.asked ??= this.again();
    return this.asked;
  }

  private async again(): Promise<void> {
    try {
      this.all = await api.bookmarks();
      this.error = null;
    } catch (error) {
      [this.error, this.asked] = [error, null];
    }
  }

  /** Take the page into the favourites, or out of them. */
  async toggle(): Promise<void> {
    const url = favouriteUrl(router.route.name, router.path);
    if (!url) return;
    await this.load();
    const known = this.ofPage;
    const name = page.crumbs.at(-1)?.text ?? url;
    if (known) await this.forget(known);
    else await this.keep({ kind: "favourite", name: name.slice(0, 120), url, site: null });
    toast.show(known ? `${known.name} is no favourite any more.` : `${name} is a favourite.`);
  }

  async keep(body: Parameters<typeof api.keepPage>[0]): Promise<void> {
    await api.keepPage(body);
    await this.again();
  }

  async forget(one: Bookmark): Promise<void> {
    await api.forgetPage(one.id);
    this.all = this.all.filter((each) => each.id !== one.id);
  }
}

export const bookmarks = new Bookmarks();
