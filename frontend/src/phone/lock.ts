/** A shared tablet locks itself when nobody touches it, and by the menu: whoever comes next says who they are. */
import { csrfToken } from "../api/client.ts";
import { session } from "../stores/session.svelte.ts";

export const LOCKS_AFTER_MS = 10 * 60_000;
const LOOKS_MS = 15_000;
const TOUCHES = ["pointerdown", "keydown", "wheel"] as const;

/** Until it is called back. Without reception it stays open: nobody could open it again. */
export function lockWhenLeft(lock: () => void, now: () => number = Date.now): () => void {
  let touched = now();
  const touch = () => (touched = now());
  TOUCHES.forEach((kind) => window.addEventListener(kind, touch, { capture: true, passive: true }));
  const timer = setInterval(() => {
    if (now() - touched >= LOCKS_AFTER_MS && navigator.onLine) lock();
  }, LOOKS_MS);
  return () => {
    clearInterval(timer);
    TOUCHES.forEach((kind) => window.removeEventListener(kind, touch, { capture: true }));
  };
}

/** Sign out; a tablet shows its lock screen then, and comes back to this page. */
export function signOut(): void {
  session.forget();
  const form = Object.assign(document.createElement("form"), { method: "post", action: "/accounts/logout/" });
  const fields = { csrfmiddlewaretoken: csrfToken(), ...(session.me?.tablet && { next: `/accounts/tablet/?next=${encodeURIComponent(location.pathname + location.search)}` }) };
  for (const [name, value] of Object.entries(fields)) form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  document.body.append(form);
  form.submit();
}
