import "fake-indexeddb/auto";
import { beforeEach, describe, expect, it } from "vitest";
import type { Ticket } from "../api/shapes.ts";
import * as database from "./database.ts";
import { action, item, step, ticket } from "./fixtures.ts";
import { afterRefusal, again, asNote, harmless, type Item, type NewItem, nextToSend, type Refusal, rebased, waitMs } from "./outbox.ts";
import { projected } from "./project.ts";
import { replay } from "./replay.ts";

const tick = (number: number) => action("steps/{step}", { done: true }, number);
const note = action("comments", { text: "Needs two people" });
const refused = (over: Partial<Refusal> = {}): Refusal => ({ status: 409, code: "refused", message: "It is closed.", current: null, ...over });

describe("what is sent next", () => {
  it("is the oldest, whatever the order in which it is read", () => {
    expect(nextToSend([item(2, tick(2)), item(1, tick(1))])?.id).toBe(1);
    expect(nextToSend([])).toBeNull();
  });

  it("is nothing of a ticket where a person must decide, but notes, photos and other tickets go on", () => {
    const stuck = item(1, tick(1), { state: "blocked" });
    expect(nextToSend([stuck, item(2, tick(2))])).toBeNull();
    expect(nextToSend([stuck, item(2, tick(2)), item(3, note, { version: null })])?.id).toBe(3);
    expect(nextToSend([stuck, item(2, tick(2)), item(4, tick(1), { ticket: "REP-2" })])?.id).toBe(4);
  });
});

describe("an item that is not accepted", () => {
  it.each([0, 500, 502, 503, 429, 401])("is tried again after %i", (status) => {
    expect(afterRefusal(item(1, tick(1)), refused({ status, code: "error" }))).toEqual({ do: "again-later" });
  });

  it("is tried again while its own first try is still running", () => {
    expect(afterRefusal(item(1, tick(1)), refused({ code: "busy" })).do).toBe("again-later");
  });

  it("goes on by itself when what changed has nothing to do with it", () => {
    const now = ticket({ version: 9, comments: [{ id: 1, at: "2026-03-01T09:00:00Z", author: "Tom", text: "Hi" }] });
    const next = afterRefusal(item(1, tick(1)), refused({ code: "conflict", current: now }));
    expect(next).toEqual({ do: "again-now", item: { ...item(1, tick(1)), version: 9, before: now } });
  });

  it.each<[string, Partial<Ticket>, RegExp]>([
    ["reassigned", { assignee: { id: 8, name: "Tom" } }, /Tom/],
    ["closed", { status: "closed", assignee: null }, /Closed/],
    ["ticked by another", { steps: [step(1, "scan", "2026-03-01T09:30:00Z"), step(2, "check"), step(3, "swap"), step(4, "verify")] }, /Step 1 done by Tom/],
  ])("is left to a person when the ticket was %s, with what changed", (_, over, says) => {
    const next = afterRefusal(item(1, tick(1)), refused({ code: "conflict", current: ticket({ version: 9, ...over }) }));
    expect(next.do).toBe("block");
    if (next.do === "block") expect(next.item.changes.join()).toMatch(says);
  });

  it("is left to a person when its steps were planned again", () => {
    const order = { version: 1 } as Ticket["order"];
    expect(harmless(item(1, tick(1)), ticket({ order }), ticket({ order: { ...order, version: 2 } as Ticket["order"] }))).toBe(false);
  });

  it("keeps the server's reason, and what was typed", () => {
    const one = item(1, action("swap", { new_serial: "X1" }), { typed: "X1" });
    const next = afterRefusal(one, refused({ status: 400, code: "invalid", message: "X1 is installed in hgx-a01-01." }));
    expect(next).toMatchObject({ do: "block", item: { reason: "X1 is installed in hgx-a01-01.", typed: "X1", work: one.work } });
  });

  it("can become a comment that holds what was typed, or be sent again on the ticket as it is", () => {
    const stuck = item(1, tick(1), { state: "blocked", reason: "It is closed.", typed: "hgx-a17-03" });
    expect(asNote(stuck, "k")).toMatchObject({ version: null, work: { action: "comments" }, key: "k" });
    expect(asNote(stuck, "k").typed).toMatch(/not accepted \(It is closed\.\): Item 1: hgx-a17-03/);
    expect(again(stuck, ticket({ version: 12 }))).toMatchObject({ state: "waiting", version: 12, key: stuck.key, reason: "" });
    expect(again({ ...stuck, version: null }, ticket({ version: 12 })).version).toBeNull();
  });
});

it("waits longer after each failed try, a minute at most", () => {
  expect([0, 1, 2, 20].map(waitMs)).toEqual([2_000, 4_000, 8_000, 60_000]);
});

it("later items of the ticket follow the version that the one before them made", () => {
  const [first, second, other] = [item(1, tick(1)), item(2, tick(2)), item(3, tick(1), { ticket: "REP-2" })];
  const now = ticket({ version: 5 });
  expect(rebased([first, second, other, item(4, note, { version: null })], first, now)).toEqual([{ ...second, version: 5, before: now }]);
});

describe("the ticket as it will be", () => {
  const me = { id: 3, name: "Tina" };
  it("has the steps, the swap and the notes of this phone", () => {
    const now = projected(ticket(), [item(1, tick(1)), item(2, action("swap", { new_serial: "NEW" })), item(3, note)], me);
    expect(now.steps.map((each) => each.done_at)).toEqual(["2026-03-01T10:01:00Z", null, "2026-03-01T10:02:00Z", null]);
    expect(now.swaps).toMatchObject([{ old_serial: "OLD", new_serial: "NEW", by: "Tina" }]);
    expect(now.comments).toMatchObject([{ text: "Needs two people" }]);
  });
  it("has an optic and a cable swapped at their own steps", () => {
    const steps = [step(1, "scan"), { ...step(2, "swap"), swaps: "optic" as const }, { ...step(3, "swap"), swaps: "cable" as const }];
    const now = projected(ticket({ steps }), [item(1, action("swap-connector", { what: "cable", new_serial: "NEW" }))], me);
    expect(now.steps.map((each) => each.done_at)).toEqual([null, null, "2026-03-01T10:01:00Z"]);
  });
  it("is mine once taken, nobody's once released, and not verifying before the server says so", () => {
    const open = ticket({ status: "open", assignee: null, may: ["take", "comment"] });
    expect(projected(open, [item(1, action("take"))], me)).toMatchObject({ status: "in_work", assignee: me, may: expect.arrayContaining(["step", "swap"]) });
    expect(projected(ticket(), [item(1, action("release", { reason: "x" }))], me)).toMatchObject({ status: "open", assignee: null });
    expect(projected(ticket(), [item(1, action("verify"))], me)).toMatchObject({ status: "in_work", may: ["comment"] });
  });
  it("leaves out what was not accepted, and other tickets", () => {
    const items = [item(1, tick(1), { state: "blocked" }), item(2, tick(2), { ticket: "REP-2" })];
    expect(projected(ticket(), items, me)).toEqual(ticket());
  });
});

// ---- with the browser's database ----

const fresh = (number: number, over: Partial<NewItem> = {}): NewItem => {
  const { user, ticket: key, what, typed, work, key: idempotency, at, version, before } = item(number, tick(number));
  return { user, ticket: key, what, typed, work, key: idempotency, at, version, before, ...over };
};

/** A server with idempotency keys: it does a key once and answers it again. */
class Server {
  done: { key: string; body: string }[] = [];
  now = ticket();
  /** The answers to these tries get lost, after the work. */
  lose = 0;
  down = false;
  send = async (one: Item): Promise<Ticket> => {
    if (this.down) throw refused({ status: 0, code: "unreachable" });
    const body = JSON.stringify([one.work, one.version]);
    const before = this.done.find((each) => each.key === one.key);
    if (before && before.body !== body) throw refused({ status: 422, code: "idempotency_mismatch" });
    if (!before) {
      if (one.version !== null && one.version !== this.now.version) throw refused({ code: "conflict", current: this.now });
      this.done.push({ key: one.key, body });
      this.now = { ...this.now, version: this.now.version + 1 };
    }
    if (this.lose-- > 0) throw refused({ status: 0, code: "unreachable" });
    return this.now;
  };
}

const run = (server: Server, user = 3) =>
  replay({
    items: () => database.waiting(user),
    change: database.change,
    send: server.send,
    refusal: (cause) => cause as Refusal,
    seen: (now) => database.keep(user, now),
  });

describe("the outbox", () => {
  beforeEach(async () => {
    await database.close();
    indexedDB.deleteDatabase("rackside");
    await database.keep(3, ticket());
  });

  it("is sent in order, each once, though every answer is lost once", async () => {
    for (const number of [1, 2, 3]) await database.enqueue(fresh(number));
    const server = new Server();
    for (let tries = 0; tries < 3; tries++) {
      server.lose = 1;
      expect(await run(server)).toBe(false);
    }
    server.lose = 0;
    expect(await run(server)).toBe(true);
    expect(server.done.map((each) => each.key)).toEqual(["key-1", "key-2", "key-3"]);
    expect(await database.waiting(3)).toEqual([]);
  });

  it("survives a tab that dies between the server's work and its answer", async () => {
    for (const number of [1, 2]) await database.enqueue(fresh(number));
    const server = new Server();
    await server.send((await database.waiting(3))[0]!); // the tab is gone before the answer
    await database.close();
    expect(await run(server)).toBe(true);
    expect(server.done.map((each) => each.key)).toEqual(["key-1", "key-2"]);
    expect(server.now.version).toBe(6);
  });

  it("goes on past a colleague's note, and stops where the ticket went to a colleague", async () => {
    await database.enqueue(fresh(1));
    await database.enqueue(fresh(2));
    const server = new Server();
    server.now = ticket({ version: 7, comments: [{ id: 1, at: "2026-03-01T09:00:00Z", author: "Tom", text: "Hi" }] });
    expect(await run(server)).toBe(true);
    await database.enqueue(fresh(3, { typed: "SN-9", version: 9 }));
    server.now = { ...server.now, version: 12, assignee: { id: 8, name: "Tom" } };
    await database.keep(3, server.now); // the page has the new one before the outbox is sent: still no reason to go on
    expect(await run(server)).toBe(true);
    expect(await database.waiting(3)).toMatchObject([{ state: "blocked", typed: "SN-9", changes: expect.arrayContaining(["Now with Tom"]) }]);
  });

  it("carries on with what was done while the first was being sent", async () => {
    await database.enqueue(fresh(1));
    const server = new Server();
    const sending = server.send;
    server.send = async (one) => {
      const after = await sending(one);
      if (one.key === "key-1") await database.enqueue(fresh(2)); // on the ticket as the page showed it
      return after;
    };
    expect(await run(server)).toBe(true);
    expect(server.done.map((each) => each.key)).toEqual(["key-1", "key-2"]);
    expect(await database.waiting(3)).toEqual([]);
  });

  it("does not keep the other tickets waiting for one that the server fails at", async () => {
    await database.enqueue(fresh(1, { ticket: "REP-9", version: null }));
    await database.enqueue(fresh(2));
    const server = new Server();
    const sending = server.send;
    server.send = (one) => (one.ticket === "REP-9" ? Promise.reject(refused({ status: 504 })) : sending(one));
    expect(await run(server)).toBe(false);
    expect(server.done.map((each) => each.key)).toEqual(["key-2"]);
    expect(await database.waiting(3)).toMatchObject([{ ticket: "REP-9", state: "waiting" }]);
  });

  it("keeps everything while the server is away", async () => {
    await database.enqueue(fresh(1));
    const server = new Server();
    server.down = true;
    expect(await run(server)).toBe(false);
    expect(await database.waiting(3)).toHaveLength(1);
  });

  it("is not another person's, nor what a newer build wrote", async () => {
    await database.enqueue(fresh(1));
    await database.enqueue(fresh(2, { user: 9 }));
    const [mine] = await database.waiting(3);
    await database.change([{ ...mine!, schema: 99 }]);
    expect(await database.waiting(3)).toEqual([]);
    expect(await database.waiting(9)).toHaveLength(1);
    await database.forgetOthers(9);
    expect(await database.kept(3, "REP-1")).toBeUndefined();
    expect(await (await database.database()).count("outbox")).toBe(2); // nothing that was done is thrown away
  });

  it("holds photos as they are", async () => {
    const picture = new Blob([new Uint8Array([1, 2, 3])], { type: "image/jpeg" });
    await database.enqueue(fresh(1, { work: { kind: "photo", step: 2, caption: "", filename: "a.jpg", picture } }));
    const [kept] = await database.waiting(3);
    expect(kept?.work.kind === "photo" && kept.work.picture.size).toBe(3);
  });
});

it("keeps a hundred opened tickets and all that were kept for the aisle", async () => {
  await database.keep(4, ticket({ key: "REP-0" }), { pinned: true });
  for (let number = 1; number <= 103; number++) await database.keep(4, ticket({ key: `REP-${number}` }));
  const all = await database.allKept(4);
  expect(all).toHaveLength(101);
  expect(all.some((each) => each.key === "REP-0")).toBe(true);
});
