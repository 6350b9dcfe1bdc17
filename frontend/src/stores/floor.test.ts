import { render } from "svelte/server";
import { afterEach, expect, test, vi } from "vitest";
import type { Notice } from "../api/shapes.ts";
import type { LiveEvent } from "../live/protocol.ts";
import Notices from "../lib/Notices.svelte";

const feed = vi.hoisted((): { deliver: (events: unknown[]) => void } => ({ deliver: () => undefined }));
vi.mock("../live/live.svelte.ts", () => ({
  live: {
    onEvents: (listener: (events: unknown[]) => void) => (feed.deliver = listener),
    onReset: () => undefined,
    follow: () => undefined,
  },
}));
const { floor } = await import("./floor.svelte.ts");

afterEach(() => vi.unstubAllGlobals());

const CAP: Notice = { kind: "budget", level: "warn", text: "2 machines with a confirmed fault stay in service: pool train h100 has used up its disruption budget of 10%." };

function answer(notices: Notice[]): void {
  const table = { columns: [], rows: [] };
  const document = {
    cursor: "e:1", generated_at: "", site: { id: 1, slug: "s", name: "Site" }, room: { id: 1, name: "Room", width_mm: 1, depth_mm: 1 }, rooms: [], rows: [],
    aisles: [], racks: table, machines: table, cells: [], totals: {}, notices,
  };
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify(document), { status: 200 })));
}

const changed = (notices: Notice[]): LiveEvent => ({ id: 1, kind: "notice.changed", subject: "site:1", at: "", data: { notices } });
const shown = (): string => render(Notices, { props: { notices: floor.notices } }).body;

test("a notice comes with the floor, in plain words, and goes when the feed says so", async () => {
  answer([CAP]);
  await floor.load(null);
  expect(shown()).toContain(CAP.text);
  feed.deliver([changed([])]);
  expect(shown()).not.toContain("<p");
  feed.deliver([changed([CAP])]);
  expect(shown()).toContain(CAP.text);
});

test("a floor fetched again shows no notice of before", async () => {
  feed.deliver([changed([CAP])]);
  answer([]);
  await floor.load(null);
  expect(shown()).not.toContain("<p");
});

test("a notice that comes while the floor is being fetched is not lost", async () => {
  answer([]);
  const fetching = floor.load(null);
  feed.deliver([changed([CAP])]);
  await fetching;
  expect(shown()).toContain(CAP.text);
});

test("a mass failure says since when, what to do and leads to its own incident", async () => {
  const lost: Notice = {
    kind: "incident", level: "error", text: "153 machines lost contact: row A (Hall 1).", since: "2026-11-01T00:00:00Z",
    what_to_do: "Mend the cause, then close its ticket.", link: "/automation/incidents/7",
  };
  answer([lost]);
  await floor.load(null);
  for (const words of [lost.text, lost.what_to_do!, 'href="/automation/incidents/7"', "since"]) expect(shown()).toContain(words);
});
