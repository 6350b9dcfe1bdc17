/** What the top bar says about the page below it. */
export interface Crumb {
  text: string;
  href?: string;
}

class PageInfo {
  crumbs = $state.raw<Crumb[]>([]);

  /** Names the page in the top bar, the tab and the history. */
  name(...crumbs: Crumb[]): void {
    this.crumbs = crumbs;
    const last = crumbs.at(-1)?.text;
    document.title = last ? `${last} · Rackside` : "Rackside";
  }
}

export const page = new PageInfo();
