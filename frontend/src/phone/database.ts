/** What the phone keeps: tickets to work by without reception, and what waits to be sent. */
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Ticket } from "../api/shapes.ts";
import type { Schemas } from "../api/schema.ts";
import type { FacePicture } from "../fabric/shapes.ts";
import { type Item, type NewItem, SCHEMA, upgraded } from "./outbox.ts";

export interface Kept {
  user: number;
  key: string;
  ticket: Ticket;
  labels: Schemas["TicketLabels"] | null;
  pictures: FacePicture[];
  /** When the server last answered with it, as ISO. */
  at: string;
  /** By "Keep for the aisle" or because it is mine; else it goes when a hundred others came after it. */
  pinned: boolean;
}

interface Tables extends DBSchema {
  kept: { key: [number, string]; value: Kept };
  outbox: { key: number; value: Item; indexes: { user: number } };
}

const NAME = "rackside";
/** A later build adds steps to `upgrade`; none may drop `outbox`. */
const VERSION = 1;
const MOST_KEPT = 100;

let opened: Promise<IDBPDatabase<Tables>> | null = null;

export function database(): Promise<IDBPDatabase<Tables>> {
  opened ??= openDB<Tables>(NAME, VERSION, {
    upgrade(db) {
      db.createObjectStore("kept", { keyPath: ["user", "key"] });
      db.createObjectStore("outbox", { keyPath: "id", autoIncrement: true }).createIndex("user", "user");
    },
    // Another tab has a newer build: it may upgrade, and this one opens anew with its next request.
    blocking: () => void close(),
    terminated: () => (opened = null),
  });
  opened.catch(() => (opened = null));
  return opened;
}

export async function close(): Promise<void> {
  const was = opened;
  opened = null;
  (await was?.catch(() => null))?.close();
}

// ---- tickets ----

export async function keep(user: number, ticket: Ticket, more: Partial<Pick<Kept, "labels" | "pictures" | "pinned">> = {}): Promise<void> {
  const transaction = (await database()).transaction("kept", "readwrite");
  const before = await transaction.store.get([user, ticket.key]);
  const fresh = { labels: before?.labels ?? null, pictures: before?.pictures ?? [], pinned: before?.pinned ?? false };
  await transaction.store.put({ user, key: ticket.key, ticket, at: new Date().toISOString(), ...fresh, ...more });
  const all = (await transaction.store.getAll(IDBKeyRange.bound([user], [user, []]))).filter((each) => !each.pinned);
  const oldest = all.sort((a, b) => b.at.localeCompare(a.at)).slice(MOST_KEPT);
  await Promise.all([...oldest.map((each) => transaction.store.delete([user, each.key])), transaction.done]);
}

export const kept = async (user: number, key: string): Promise<Kept | undefined> => (await database()).get("kept", [user, key]);

export const allKept = async (user: number): Promise<Kept[]> => (await database()).getAll("kept", IDBKeyRange.bound([user], [user, []]));

/** Of everybody else: a shared phone does not show one person's tickets to the next. What waits to be sent stays. */
export async function forgetOthers(user: number): Promise<void> {
  const transaction = (await database()).transaction("kept", "readwrite");
  const others = (await transaction.store.getAllKeys()).filter(([owner]) => owner !== user);
  await Promise.all([...others.map((key) => transaction.store.delete(key)), transaction.done]);
}

// ---- the outbox ----

export async function waiting(user: number): Promise<Item[]> {
  const stored = await (await database()).getAllFromIndex("outbox", "user", user);
  return stored.flatMap((item) => upgraded(item) ?? []);
}

export async function enqueue(item: NewItem): Promise<void> {
  const fresh: Omit<Item, "id"> = { ...item, schema: SCHEMA, state: "waiting", reason: "", changes: [] };
  // It is on the disk when this resolves: a dead battery takes nothing that the page called queued.
  const transaction = (await database()).transaction("outbox", "readwrite", { durability: "strict" });
  await Promise.all([transaction.store.add(fresh as Item), transaction.done]);
}

/** Some changed and one gone, in one transaction: a tab that dies in between leaves both or neither. */
export async function change(changed: readonly Item[], gone?: number): Promise<void> {
  const transaction = (await database()).transaction("outbox", "readwrite", { durability: "strict" });
  await Promise.all([
    ...changed.map((item) => transaction.store.put(item)),
    ...(gone === undefined ? [] : [transaction.store.delete(gone)]),
    transaction.done,
  ]);
}
