/** What a screen on the wall shows next, and when. Pure. */

/** How long a room stays, in seconds, when the address does not say. */
export const ROOM_S = 30;

/** The seconds of `?every=`, between 5 and 3600; else the usual. */
export function secondsOf(text: string | null): number {
  const seconds = Number(text);
  return text && Number.isFinite(seconds) && seconds >= 5 && seconds <= 3_600 ? seconds : ROOM_S;
}

/** The room after this one, round and round; null where there is no other. */
export function nextRoom(rooms: readonly { id: number }[], shown: number | null): number | null {
  const at = rooms.findIndex((room) => room.id === shown);
  const next = rooms[(at + 1) % rooms.length];
  return next && next.id !== shown ? next.id : null;
}
