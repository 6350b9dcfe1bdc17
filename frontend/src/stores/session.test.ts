import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { session } from "./session.svelte.ts";

const ANA = { id: 1, username: "ana", roles: [], sites: [] };
const store = new Map<string, string>();
let reception = true;
const answer = () => (reception ? Promise.resolve(new Response(JSON.stringify(ANA), { headers: { "Content-Type": "application/json" } })) : Promise.reject(new TypeError("no answer")));

beforeEach(() => {
  store.clear();
  [session.me, session.error, reception] = [null, null, true];
  vi.stubGlobal("fetch", answer);
  vi.stubGlobal("localStorage", { getItem: (key: string) => store.get(key) ?? null, setItem: (key: string, text: string) => store.set(key, text), removeItem: (key: string) => store.delete(key) });
  vi.stubGlobal("document", { cookie: "csrftoken=first" });
});

afterEach(() => vi.unstubAllGlobals());

async function seen(): Promise<void> {
  await session.load();
  session.me = null;
}

test("who signed in here is known before the server answers, and no effect begins anew for the same", async () => {
  await seen();
  const loading = session.load();
  const before = session.me;
  expect(before).toEqual(ANA);
  await loading;
  expect(session.me).toBe(before);
});

test("after another sign-in nobody is taken for the one before, unless there is no reception at all", async () => {
  await seen();
  vi.stubGlobal("document", { cookie: "csrftoken=second" });
  reception = false;
  const loading = session.load();
  expect(session.me).toBeNull();
  await loading;
  const kept = session.me;
  expect(kept).toEqual(ANA);
  reception = false;
  await session.load();
  expect(session.me, "what depends on it begins anew only for another").toBe(kept);
});

test("who signed out is forgotten, with reception and without", async () => {
  await seen();
  session.forget();
  reception = false;
  await session.load();
  expect(session.me).toBeNull();
  expect(session.error).not.toBeNull();
});

test("what is kept and cannot be read is as if nothing were kept", async () => {
  store.set("rackside.me", "{broken");
  reception = false;
  await session.load();
  expect(session.me).toBeNull();
});
