/** What is fetched after the page it belongs to: lost with the connection, it is fetched again. */
import { answers, quietly } from "./rebuilt.ts";

const AGAIN_AFTER_MS = 10_000;
/** Tries after which it is no longer the connection's fault: a page of an older build is loaded again, once. */
const TRIES = 3;

/** Resolves with the first time that it could be fetched. Never rejects; what a server does not have never comes. */
export async function later<T>(fetch: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await (tries < TRIES ? quietly(fetch) : fetch());
    } catch {
      if (tries >= TRIES && (await answers())) return new Promise(() => undefined);
      await receptionOrPause();
      await freshStyles();
    }
  }
}

const receptionOrPause = (): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, AGAIN_AFTER_MS);
    window.addEventListener("online", done);
  });

/** Vite asks for each style sheet once, also for one that did not come: what is lost is asked for anew here. */
async function freshStyles(): Promise<void> {
  const lost = [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")].filter((link) => !link.sheet);
  await Promise.all(
    lost.map((link) => {
      const again = link.cloneNode() as HTMLLinkElement;
      return new Promise<void>((resolve) => {
        again.onload = again.onerror = () => resolve();
        link.replaceWith(again);
      });
    }),
  );
}
