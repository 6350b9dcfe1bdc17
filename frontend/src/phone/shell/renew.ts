/** For a page whose files are gone from the server, in a module of its own: it must be there before they are. */

/** Longer is not waited for the build that has others. */
const RENEW_MS = 8_000;

/** The server has a newer build than this page: let its worker take over, so that the reload gets the new files. */
export async function renew(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration("/");
  if (!registration) return;
  const there = new Promise<void>((resolve) => navigator.serviceWorker.addEventListener("controllerchange", () => resolve(), { once: true }));
  const late = new Promise<void>((resolve) => setTimeout(resolve, RENEW_MS));
  await registration.update().catch(() => undefined);
  const next = registration.installing ?? registration.waiting;
  if (!next) return;
  next.addEventListener("statechange", () => next.state === "installed" && next.postMessage("take-over"));
  if (next.state === "installed") next.postMessage("take-over");
  await Promise.race([there, late]);
}
