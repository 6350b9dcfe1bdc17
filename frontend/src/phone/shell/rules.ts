/** What the service worker answers itself, and when a new build may take over. Pure. */

/** Pages that the server makes, as in src/router.svelte.ts: never answered by the dashboard's shell. */
const SERVED = /^\/(accounts|admin|api|static|metrics|healthz|readyz|boot)(\/|$)/;
const ASSET = /^\/static\/assets\/[^/]+-[\w-]{8}\.\w+$/;
const PLAIN = new Set(["/static/theme.js", "/static/icon.svg", "/static/manifest.webmanifest"]);

export type Answer = "shell" | "asset" | "network";

export function answerTo(url: URL, { origin, method, navigates }: { origin: string; method: string; navigates: boolean }): Answer {
  if (method !== "GET" || url.origin !== origin) return "network";
  if (navigates) return SERVED.test(url.pathname) ? "network" : "shell";
  return ASSET.test(url.pathname) || PLAIN.has(url.pathname) ? "asset" : "network";
}

/** The server has so long to give the newest shell; then the one on the phone is shown. */
export const PATIENCE_MS = 300;

interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
}
export type Manifest = Record<string, Chunk>;

/** Files of these entries with all that they import at once: what opens without reception. Letters are kept as they are used. */
export function filesOf(manifest: Manifest, entries: readonly string[]): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const add = (name: string) => {
    const chunk = manifest[name];
    if (!chunk || seen.has(name)) return;
    seen.add(name);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
    chunk.imports?.forEach(add);
  };
  entries.forEach(add);
  return [...found].sort();
}

/** A new build waits while somebody has typed something that a reload would lose, or while something is being sent. */
export function mayTakeOver({ typed, sending, shown }: { typed: boolean; sending: boolean; shown: boolean }): boolean {
  return !typed && !sending && !shown;
}
