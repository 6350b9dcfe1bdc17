/** The service worker: the dashboard opens without reception. It keeps files only; tickets and what waits to be sent are in the
 * database of the page, so no build of this can lose them. */
import { answerTo, PATIENCE_MS } from "./rules.ts";

interface FetchEvent extends ExtendableEvent {
  request: Request;
  respondWith: (response: Promise<Response>) => void;
}
interface ExtendableEvent extends Event {
  waitUntil: (work: Promise<unknown>) => void;
}
interface Worker extends EventTarget {
  skipWaiting: () => Promise<void>;
  clients: { claim: () => Promise<void> };
  location: Location;
  navigator: { connection?: { /** Milliseconds, as some browsers estimate it. */ rtt: number } };
}
declare const self: Worker;
/** Put in by the build: the name of this build, and what the aisle needs of it. */
declare const BUILD: string;
declare const SHELL: string[];

const SHELL_CACHE = `rackside-shell-${BUILD}`;
const ASSET_CACHE = "rackside-assets";
const INDEX = "/";
/** Two builds of what one person opens; the oldest go when a new build takes over. */
const MOST_ASSETS = 300;

self.addEventListener("install", (event) => (event as ExtendableEvent).waitUntil(install()));
self.addEventListener("activate", (event) => (event as ExtendableEvent).waitUntil(activate()));
self.addEventListener("message", (event) => {
  if ((event as MessageEvent).data === "take-over") void self.skipWaiting();
});
self.addEventListener("fetch", (event) => {
  const { request, respondWith } = event as FetchEvent;
  const kind = answerTo(new URL(request.url), { origin: self.location.origin, method: request.method, navigates: request.mode === "navigate" });
  if (kind === "shell") respondWith.call(event, shell(request));
  else if (kind === "asset") respondWith.call(event, asset(request));
});

/** All or nothing: a build that is there by half would not open. */
async function install(): Promise<void> {
  const cache = await caches.open(SHELL_CACHE);
  const index = await fetch(INDEX, { cache: "no-cache", redirect: "manual" });
  // Signed out: the shell is kept with the next visit, and what is kept stays as it was.
  if (!index.ok) throw new Error(`The shell was not to be had (${index.status}).`);
  await Promise.all([cache.put(INDEX, index), cache.addAll(SHELL)]);
}

async function activate(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("rackside-shell-") && name !== SHELL_CACHE).map((name) => caches.delete(name)));
  const assets = await caches.open(ASSET_CACHE);
  const kept = await assets.keys();
  await Promise.all(kept.slice(0, Math.max(0, kept.length - MOST_ASSETS)).map((request) => assets.delete(request)));
  await self.clients.claim();
}

/** Whether the server took longer than one waits for it when it was asked last. */
let slow = false;

/** The newest page while the server is quick, the kept one otherwise, and at once over a link that is known to be slow;
 * the request goes on and tells how it is now. */
async function shell(request: Request): Promise<Response> {
  const kept = await (await caches.open(SHELL_CACHE)).match(INDEX);
  const began = performance.now();
  const fresh = fetch(request).then((answer) => {
    slow = performance.now() - began > PATIENCE_MS;
    return answer;
  });
  if (!kept) return fresh;
  const wait = slow || (self.navigator.connection?.rtt ?? 0) > PATIENCE_MS ? 0 : PATIENCE_MS;
  const late = new Promise<Response>((resolve) => setTimeout(() => resolve(kept), wait));
  return Promise.race([fresh.then((answer) => (answer.status >= 500 ? kept : answer)), late]).catch(() => kept);
}

/** Names with a hash of their content never change: once fetched, they are on the phone. */
async function asset(request: Request): Promise<Response> {
  const kept = await caches.match(request, { ignoreVary: true });
  if (kept) return kept;
  const fresh = await fetch(request);
  if (!fresh.ok || fresh.type !== "basic") return fresh;
  const copy = fresh.clone();
  // A full disk keeps nothing and is no reason to fail.
  void caches.open(ASSET_CACHE).then((cache) => cache.put(request, copy)).catch(() => undefined);
  return fresh;
}
