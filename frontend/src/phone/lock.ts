/** A shared tablet locks itself when nobody touches it, and by the menu: whoever comes next says who they are. */
import { csrfToken } from "../api/client.ts";
import { session } from "../stores/session.svelte.ts";

export const LOCKS_AFTER_MS = 10 * 60_000;
const LOOKS_MS = 15_000;
const ANSWERS_WITHIN_MS = 5_000;
const TOUCHES = ["pointerdown", "keydown", "wheel"] as const;
/** Of all tabs together, and kept while the screen is dark or the page is gone. */
const TOUCHED = "rackside.touched";

const lastTouch = (): number => Number(localStorage.getItem(TOUCHED)) || Date.now();

/** Until it is called back. Without reception it stays open: nobody could open it again. */
export function lockWhenLeft(lock: () => void): () => void {
  let asking = false;
  const isLeft = () => Date.now() - lastTouch() >= LOCKS_AFTER_MS;
  const look = async () => {
    if (asking || !isLeft()) return;
    asking = true;
    if (await answers()) lock();
    asking = false;
  };
  const touch = () => {
    // The first touch after a dark screen is somebody else's.
    if (isLeft()) void look();
    else localStorage.setItem(TOUCHED, String(Date.now()));
  };
  const shown = () => void look();
  if (!localStorage.getItem(TOUCHED)) localStorage.setItem(TOUCHED, String(Date.now()));
  TOUCHES.forEach((kind) => window.addEventListener(kind, touch, { capture: true, passive: true }));
  window.addEventListener("pageshow", shown);
  document.addEventListener("visibilitychange", shown);
  const timer = setInterval(shown, LOOKS_MS);
  void look();
  return () => {
    clearInterval(timer);
    TOUCHES.forEach((kind) => window.removeEventListener(kind, touch, { capture: true }));
    window.removeEventListener("pageshow", shown);
    document.removeEventListener("visibilitychange", shown);
  };
}

/** A browser calls a net that answers nothing "online" as well. */
async function answers(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })).ok;
  } catch {
    return false;
  }
}

/** Sign out; a tablet shows its lock screen then, and comes back to this page. */
export function signOut(): void {
  session.forget();
  localStorage.removeItem(TOUCHED);
  const form = Object.assign(document.createElement("form"), { method: "post", action: "/accounts/logout/" });
  const fields = { csrfmiddlewaretoken: csrfToken(), ...(session.me?.tablet && { next: `/accounts/tablet/?next=${encodeURIComponent(location.pathname + location.search)}` }) };
  for (const [name, value] of Object.entries(fields)) form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  document.body.append(form);
  form.submit();
}
