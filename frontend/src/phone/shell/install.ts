/** Registers the service worker and lets a new build take over when nothing is lost by it. */
import { mayTakeOver } from "./rules.ts";

const SCRIPT = "/static/sw.js";
const SCOPE = "/";
const ASK_MS = 30 * 60_000;

/** Whether some field holds what the person typed and did not send. */
const typed = (): boolean =>
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("main input:not([type=search]), main textarea, dialog[open] input, dialog[open] textarea")].some(
    (field) => field.type !== "checkbox" && field.type !== "radio" && field.value !== field.defaultValue && field.value !== "",
  );

let registration: ServiceWorkerRegistration | null = null;

/** Where the browser has none (no secure context) the dashboard works as before, with reception. */
export async function installShell(sending: () => boolean): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  registration = await navigator.serviceWorker.register(SCRIPT, { scope: SCOPE, updateViaCache: "none" }).catch(() => null);
  if (!registration) return;
  const had = navigator.serviceWorker.controller !== null;
  let reloaded = false;
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    // The first worker changes nothing on screen; the next has other files.
    if (!had || reloaded || !hidden()) return;
    reloaded = true;
    location.reload();
  });
  const tryTakeOver = () => {
    if (registration?.waiting && mayTakeOver({ typed: typed(), sending: sending(), shown: !hidden() })) registration.waiting.postMessage("take-over");
  };
  document.addEventListener("visibilitychange", tryTakeOver);
  setInterval(() => void registration?.update().then(tryTakeOver, () => undefined), ASK_MS);
}

const hidden = () => document.visibilityState === "hidden";

/** What is needed only in the aisle, fetched while there is reception: the worker keeps it. */
export async function fetchForAisle(): Promise<void> {
  await Promise.all([import("../scan/Scanner.svelte"), import("../scan/decode.ts").then((decode) => decode.warm())]);
}
