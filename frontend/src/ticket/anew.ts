/** An action on a ticket that moves by itself: the machine's own steps and its LED raise the version between two looks. Pure. */
import { isRace, type ApiError } from "../api/client.ts";
import type { Ticket } from "../api/shapes.ts";
import { harmless, type Work } from "../phone/outbox.ts";

/** So often it is done anew on what the ticket is now, before a person is asked. */
export const MOST_TRIES = 3;

/** Do `send` on the ticket as it was seen, and anew on what it is now when nothing in between is a person's to weigh.
 * Throws what the last try threw. */
export async function onWhatIsNow(work: Work, seen: Ticket, send: (seen: Ticket) => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await send(seen);
    } catch (cause) {
      const now = isRace(cause) ? ((cause as ApiError).current as Ticket) : null;
      if (!now || tries === MOST_TRIES || !harmless({ work }, seen, now)) throw cause;
      seen = now;
    }
  }
}
