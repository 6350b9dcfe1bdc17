/** Times between the address, which holds ISO, and a browser's field, which knows only local minutes. */

const two = (n: number): string => String(n).padStart(2, "0");

/** `2026-11-21T14:03` in local time, what an input of type datetime-local takes; empty for what is no time. */
export function inputTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The reverse; an emptied field gives an empty text, which removes the value from the address. */
export function isoOf(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}
