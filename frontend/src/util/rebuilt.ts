/** A page left open while the dashboard was built anew asks for files that are gone: it is loaded again, once. */

import { renew } from "../phone/shell/renew.ts";

/** A second failure within this time is not the rebuild's: another reload would only repeat it. */
const AGAIN_AFTER_MS = 60_000;
const KEY = "rackside.reloaded";

export interface Tab {
  /** Whether the server answers: without it a reload would take away a page that still works. */
  answers: () => Promise<boolean>;
  now: () => number;
  /** When this tab was last reloaded for this reason, in ms; 0 if never. */
  reloadedAt: () => number;
  remember: (at: number) => void;
  reload: () => void;
  /** Let the service worker of the newer build take over, or it would answer with the old page again. */
  renew: () => Promise<void>;
}

export async function reloadOnce(tab: Tab): Promise<boolean> {
  if (tab.now() - tab.reloadedAt() < AGAIN_AFTER_MS || !(await tab.answers())) return false;
  await tab.renew();
  tab.remember(tab.now());
  tab.reload();
  return true;
}

/** Whether the server answers this page. */
export const answers = (): Promise<boolean> =>
  fetch(location.href, { cache: "no-store" }).then(
    (response) => response.ok,
    () => false,
  );

const thisTab: Tab = {
  answers,
  now: () => Date.now(),
  reloadedAt: () => Number(sessionStorage.getItem(KEY) ?? 0),
  remember: (at) => sessionStorage.setItem(KEY, String(at)),
  reload: () => location.reload(),
  renew,
};

let attempt: Promise<boolean> = Promise.resolve(false);

let quiet = 0;

/** An import that is tried again by itself: that it fails says nothing of a rebuild yet. */
export async function quietly<T>(load: () => Promise<T>): Promise<T> {
  quiet += 1;
  try {
    return await load();
  } finally {
    quiet -= 1;
  }
}

/** Vite says so before the import that failed is rejected. */
export function watchForRebuild(): void {
  window.addEventListener("vite:preloadError", () => {
    if (!quiet) attempt = reloadOnce(thisTab);
  });
}

/** Whether the page is about to be loaded again, so that an error need not be shown. */
export const reloading = (): Promise<boolean> => attempt;
