/** What is measured changes without an event: it is fetched again while the page is in sight. */
import type { Resource } from "../stores/resource.svelte.ts";

export const EVERY_MS = 30_000;
/** What is being done now is looked at again after so long. */
export const SOON_MS = 2_000;

/** Load now, when the facility says that something changed, and every half minute. The body of an `$effect`; returns its clean-up. */
export function refreshed<T>(resource: Resource<T>): () => void {
  const stop = resource.follow((event) => /^(facility|meter)\./.test(event.kind) || event.kind === "inventory.reloaded");
  const timer = setInterval(() => {
    if (!document.hidden) resource.soon();
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    stop();
  };
}
