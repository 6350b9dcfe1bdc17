import { render } from "svelte/server";
import { describe, expect, test } from "vitest";
import type { TicketItem } from "../api/shapes.ts";
import { nextTicket } from "./next.ts";
import NextTicket from "./NextTicket.svelte";

const ticket = (key: string, priority: string, opened: number, more: Partial<TicketItem> = {}) =>
  ({ key, priority, opened_at: `2026-11-0${opened}T00:00:00Z`, status: "open", assignee: null, title: `Replace in ${key}`, place: { text: "A17 · U 13" }, ...more }) as TicketItem;
const ME = { id: 1, name: "Ada" };

describe("after closing a ticket the next one is offered", () => {
  test("one's own before those nobody has, most urgent first, then the oldest; never the one just closed", () => {
    const mine = [ticket("T-5", "P3", 1, { assignee: ME }), ticket("T-4", "P2", 4, { assignee: ME, status: "in_work" }), ticket("T-1", "P1", 1, { assignee: ME })];
    expect(nextTicket("T-1", mine, [ticket("T-9", "P1", 1)])).toMatchObject({ ticket: { key: "T-4" }, whose: "yours" });
    const open = [ticket("T-7", "P2", 3), ticket("T-6", "P2", 2), ticket("T-8", "P1", 5, { assignee: { id: 2, name: "Bo" } })];
    expect(nextTicket("T-1", [], open)).toMatchObject({ ticket: { key: "T-6" }, whose: "open" });
  });

  test("what is being verified or closed needs nobody, and nothing is made up where nothing waits", () => {
    expect(nextTicket("T-1", [ticket("T-2", "P1", 1, { assignee: ME, status: "verifying" })], [])).toBeNull();
    expect(nextTicket("T-1", [ticket("T-2", "P1", 1, { assignee: ME, status: "closed" })], [ticket("T-1", "P1", 1)])).toBeNull();
  });

  test("with a link, its title and its place, or a way back to the list", () => {
    const html = render(NextTicket, { props: { next: { ticket: ticket("T-6", "P2", 2), whose: "open" } } }).body;
    expect(html).toContain('href="/tickets/T-6"');
    expect(html).toContain("Replace in T-6");
    expect(html).toContain("A17 · U 13");
    expect(render(NextTicket, { props: { next: null } }).body).toContain('href="/tickets"');
  });
});
