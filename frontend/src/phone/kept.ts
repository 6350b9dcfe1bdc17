/** What is put on the phone to work by without reception. */
import * as api from "../api/calls.ts";
import { get } from "../api/client.ts";
import type { Ticket } from "../api/shapes.ts";
import type { FacePicture } from "../fabric/shapes.ts";
import * as database from "./database.ts";

/** Tickets of one person at once; the worker keeps files, this keeps words and label data. */
const MOST = 50;
/** At the same time: more would fill a slow line and time out together. */
const AT_ONCE = 4;

export const facesOf = async (finding: number): Promise<FacePicture[]> => (await get("/api/fabric/findings/{id}/", { path: { id: finding } })).pictures;

/** One ticket with what its steps need. Rejects when the server is not reached. */
export async function keepForAisle(user: number, key: string): Promise<Ticket> {
  const ticket = await api.ticket(key);
  const finding = ticket.order?.finding ?? null;
  const [labels, pictures] = await Promise.all([
    get("/api/tickets/{key}/labels/", { path: { key } }),
    finding === null ? [] : facesOf(finding).catch(() => []),
  ]);
  await database.keep(user, ticket, { labels, pictures, pinned: true });
  return ticket;
}

/** What I work on and what waits in the queue, the most urgent first; `told` hears how many are there. */
export async function keepQueue(user: number, told: (kept: number, all: number) => void): Promise<void> {
  const query = { ordering: "priority,opened_at", page_size: MOST };
  const [mine, open] = await Promise.all([api.tickets({ ...query, mine: true, active: true }), api.tickets({ ...query, status: "open" })]);
  const keys = [...new Set([...mine.results, ...open.results].map((ticket) => ticket.key))].slice(0, MOST);
  let kept = 0;
  told(kept, keys.length);
  const next = [...keys];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let key = next.shift(); key; key = next.shift()) {
        await keepForAisle(user, key);
        told(++kept, keys.length);
      }
    }),
  );
}
