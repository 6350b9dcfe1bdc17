/** Which pages can be a favourite, and what of an address a saved view keeps. Pure. */
import type { Route } from "../router.svelte.ts";

/** Pages about one thing that people come back to. */
export const STARABLE: readonly Route["name"][] = ["machine", "rack", "ticket", "run", "trainingRun", "job", "cable", "component", "incident", "port", "row"];

/** The address under which a page is a favourite; empty for pages about no one thing. */
export const favouriteUrl = (name: Route["name"], path: string): string => (STARABLE.includes(name) ? path.replace(/\/$/, "") : "");

/** A view keeps its whole state but the page of a list: the first one is meant. */
export function viewUrl(path: string, search: string): string {
  const query = new URLSearchParams(search);
  query.delete("page");
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}
