/** The keys of a list of tickets. */
export type Does = "next" | "previous" | "select" | "acknowledge" | "snooze";

const KEYS: Record<string, Does> = { j: "next", k: "previous", x: "select", a: "acknowledge", s: "snooze" };

export const SHEET: [key: string, does: string][] = [
  ["j", "Next ticket"],
  ["k", "Previous ticket"],
  ["x", "Select"],
  ["a", "Acknowledge"],
  ["s", "Snooze"],
];

type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "defaultPrevented">;

/** What a key does; null while somebody types, a dialog is open, or the browser means something by it. */
export function doesKey(press: Press, busy: boolean): Does | null {
  if (busy || press.ctrlKey || press.metaKey || press.altKey || press.defaultPrevented) return null;
  return KEYS[press.key] ?? null;
}

/** Whether the keys of the page are somebody else's now. */
export function isBusy(target: EventTarget | null, document: Document): boolean {
  const typing = target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"));
  return typing || document.querySelector("dialog[open]") !== null;
}

/** Which place comes next in a list of so many; the first or last one stays. -1: none yet. */
export function moved(at: number, count: number, step: 1 | -1): number {
  if (!count) return -1;
  if (at < 0) return step === 1 ? 0 : count - 1;
  return Math.min(Math.max(at + step, 0), count - 1);
}
