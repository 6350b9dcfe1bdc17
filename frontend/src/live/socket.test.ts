import { beforeEach, describe, expect, test } from "vitest";
import type { LiveEvent } from "./protocol.ts";
import { LiveSocket, type LiveStatus, QUIET_MS, SILENCE_MS } from "./socket.ts";

/** A world with its own clock, sockets that do what the test says, and frames drawn on demand. */
class World {
  time = 0;
  sockets: FakeSocket[] = [];
  frames: (() => void)[] = [];
  timers: { at: number; run: () => void; dead: boolean }[] = [];

  open = (url: string) => {
    const socket = new FakeSocket(url);
    this.sockets.push(socket);
    return socket as unknown as WebSocket;
  };
  now = () => this.time;
  after = (ms: number, run: () => void) => {
    const timer = { at: this.time + ms, run, dead: false };
    this.timers.push(timer);
    return timer;
  };
  cancel = (timer: unknown) => {
    if (timer) (timer as { dead: boolean }).dead = true;
  };
  frame = (run: () => void) => this.frames.push(run);

  pass(ms: number) {
    this.time += ms;
    for (const timer of this.timers.filter((t) => !t.dead && t.at <= this.time)) {
      timer.dead = true;
      timer.run();
    }
  }
  draw() {
    this.frames.splice(0).forEach((run) => run());
  }
  get last() {
    return this.sockets.at(-1)!;
  }
}

class FakeSocket {
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  closed = false;
  constructor(readonly url: string) {}
  close() {
    this.closed = true;
  }
  say(frame: unknown) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  drop(code = 1006) {
    this.onclose?.({ code });
  }
}

const event = (id: number): LiveEvent => ({ id, kind: "machine.changed", subject: `machine:${id}`, at: "", data: { id } });
const events = (cursor: string, ...ids: number[]) => ({ type: "events", cursor, events: ids.map(event) });
const hello = { type: "hello", cursor: "e:9-0", epoch: "e" };

let world: World;
let batches: number[][];
let statuses: LiveStatus[];
let resets: number;
let signedOut: number;
let socket: LiveSocket;

beforeEach(() => {
  [world, batches, statuses, resets, signedOut] = [new World(), [], [], 0, 0];
  socket = new LiveSocket((cursor) => `ws://x/?since=${cursor}`, {
    events: (batch) => batches.push(batch.map((e) => e.id)),
    reset: () => (resets += 1),
    status: (status) => statuses.push(status),
    heard: () => undefined,
    signedOut: () => (signedOut += 1),
  }, world);
});

describe("the live socket", () => {
  test("hands on events once per frame, in order, each once", () => {
    socket.start("e:1-0");
    world.last.say(hello);
    world.last.say(events("e:2-0", 1, 2));
    world.last.say(events("e:3-0", 2, 3));
    expect(batches).toEqual([]);
    world.draw();
    expect(batches).toEqual([[1, 2, 3]]);
    world.last.say(events("e:4-0", 3));
    world.draw();
    expect(batches).toHaveLength(1);
  });

  test("resumes after a loss where it stopped, not where a heartbeat or a hello was", () => {
    socket.start("e:1-0");
    world.last.say(hello);
    world.last.say(events("e:5-0", 5));
    world.last.say({ type: "heartbeat", cursor: "e:7-0", at: "" });
    world.last.drop();
    expect(statuses.at(-1)).toBe("lost");
    world.pass(1_000);
    expect(world.sockets).toHaveLength(2);
    expect(world.last.url).toBe("ws://x/?since=e:5-0");
    world.last.say(hello);
    world.last.drop();
    world.pass(1_000);
    expect(world.last.url).toBe("ws://x/?since=e:5-0");
    expect(resets).toBe(0);
  });

  test("a feed that starts without a cursor asks for fresh snapshots", () => {
    socket.start();
    world.last.say(hello);
    expect(resets).toBe(1);
    expect(socket.cursor).toBe("e:9-0");
  });

  test("a reset asks for fresh snapshots, and so does a line that breaks right after it", () => {
    socket.start("e:1-0");
    world.last.say(hello);
    world.last.say({ type: "reset" });
    expect(resets).toBe(1);
    world.last.drop();
    world.pass(1_000);
    expect(world.last.url).toBe("ws://x/?since=");
    world.last.say(hello);
    expect(resets).toBe(2);
  });

  test("a line that is silent for too long counts as lost and is opened anew", () => {
    socket.start("e:1-0");
    world.last.say(hello);
    world.pass(QUIET_MS);
    world.pass(SILENCE_MS - QUIET_MS - 1);
    expect(statuses.at(-1)).toBe("silent");
    world.pass(1);
    expect(statuses.at(-1)).toBe("lost");
    expect(world.sockets[0]!.closed).toBe(true);
    world.pass(1_000);
    expect(world.sockets).toHaveLength(2);
  });

  test("a server that says nothing for 5 s is no longer called live, and is again with its next word", () => {
    socket.start("e:1-0");
    world.last.say(hello);
    world.pass(4_000);
    expect(statuses.at(-1)).toBe("live");
    world.last.say({ type: "heartbeat", cursor: "e:1-0", at: "" });
    world.pass(4_000);
    expect(statuses.at(-1)).toBe("live");
    world.pass(1_000);
    expect(statuses.at(-1)).toBe("silent");
    world.last.say({ type: "heartbeat", cursor: "e:1-0", at: "" });
    expect(statuses.at(-1)).toBe("live");
    expect(world.sockets).toHaveLength(1);
  });

  test("a server that takes the line and never greets is given up and tried again", () => {
    socket.start("e:1-0");
    world.pass(QUIET_MS);
    expect(statuses.at(-1)).toBe("connecting");
    world.pass(SILENCE_MS - QUIET_MS);
    expect(statuses.at(-1)).toBe("lost");
  });

  test("waits longer from try to try, and not at all when told that the network is back", () => {
    socket.start("e:1-0");
    for (const wait of [500, 1_000, 2_000, 4_000]) {
      const before = world.sockets.length;
      world.last.drop();
      world.pass(wait / 2 - 1);
      expect(world.sockets).toHaveLength(before);
      world.pass(wait / 2 + 1);
      expect(world.sockets).toHaveLength(before + 1);
    }
    world.last.drop();
    const before = world.sockets.length;
    socket.hurry();
    expect(world.sockets).toHaveLength(before + 1);
  });

  test("a session that ended goes to the sign-in page and does not try again; so a right that is missing", () => {
    socket.start("e:1-0");
    world.last.drop(4401);
    expect(signedOut).toBe(1);
    world.pass(60_000);
    expect(world.sockets).toHaveLength(1);
    socket.start("e:1-0");
    world.last.drop(4403);
    expect(statuses.at(-1)).toBe("refused");
    world.pass(60_000);
    expect(world.sockets).toHaveLength(2);
  });

  test("stopped means stopped", () => {
    socket.start("e:1-0");
    socket.stop();
    expect(world.last.closed).toBe(true);
    world.last.drop();
    world.pass(60_000);
    expect(world.sockets).toHaveLength(1);
  });
});
