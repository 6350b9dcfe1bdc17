/** A shared tablet locks itself when nobody touches it, and by the menu: whoever comes next says who they are. */
import { KEPT_PERSON } from "../api/client.ts";
import type { Me } from "../api/shapes.ts";
import { session } from "../stores/session.svelte.ts";
import { answers } from "../util/rebuilt.ts";
import { signOut, TOUCHED } from "./signOut.ts";

export const LOCKS_AFTER_MS = 10 * 60_000;
const LOOKS_MS = 15_000;
const ANSWERS_WITHIN_MS = 5_000;
const TOUCHES = ["pointerdown", "keydown", "wheel"] as const;

const lastTouch = (): number => Number(localStorage.getItem(TOUCHED)) || Date.now();

/** Until it is called back. Without reception it stays open: nobody could open it again. */
export function lockWhenLeft(lock: () => void = signOut): () => void {
  const over = new AbortController();
  let asking = false;
  const isLeft = () => Date.now() - lastTouch() >= LOCKS_AFTER_MS;
  const look = async () => {
    if (asking || !isLeft()) return;
    asking = true;
    // A browser calls a net that answers nothing "online" as well.
    if (await Promise.race([answers(), late()])) lock();
    asking = false;
  };
  const touch = () => {
    // The first touch after a dark screen is somebody else's.
    if (isLeft()) void look();
    else localStorage.setItem(TOUCHED, String(Date.now()));
  };
  const shown = () => void look();
  // Another tab was locked, or somebody else came in there: what stands here is no longer that person's.
  const otherTab = ({ key, newValue }: StorageEvent) => {
    if (key === KEPT_PERSON && personIn(newValue) !== session.me?.id) location.reload();
  };
  if (!localStorage.getItem(TOUCHED)) localStorage.setItem(TOUCHED, String(Date.now()));
  const { signal } = over;
  TOUCHES.forEach((kind) => window.addEventListener(kind, touch, { capture: true, passive: true, signal }));
  window.addEventListener("pageshow", shown, { signal });
  window.addEventListener("storage", otherTab, { signal });
  document.addEventListener("visibilitychange", shown, { signal });
  const timer = setInterval(shown, LOOKS_MS);
  void look();
  return () => {
    clearInterval(timer);
    over.abort();
  };
}

const late = () => new Promise<boolean>((resolve) => setTimeout(resolve, ANSWERS_WITHIN_MS, false));

const personIn = (kept: string | null) => (kept ? (JSON.parse(kept) as { me?: Me }).me?.id : null);
