/** Scanners that type: a label comes as keys faster than any hand, ending in Enter, wherever the focus is. Pure. */

export interface Key {
  key: string;
  at: number;
}

/** Between two keys of one label; hands are slower, Bluetooth scanners come near it. */
const FASTEST_HAND_MS = 45;
const SHORTEST = 4;
const LONGEST = 128;

export class Wedge {
  private text = "";
  private last = 0;

  /** One key; the whole label when it was the last of one, else null. */
  press({ key, at }: Key): string | null {
    const quick = at - this.last <= FASTEST_HAND_MS;
    this.last = at;
    if (!quick || this.text.length >= LONGEST) this.text = "";
    if (key === "Enter") {
      const label = this.text.length >= SHORTEST ? this.text : null;
      this.text = "";
      return label;
    }
    if (key.length === 1) this.text += key; // not Shift and the like, in the middle of a label
    return null;
  }
}

/** Listen on the whole page. A label that is typed into a field stays there: the field's own form reads it. */
export function listen(read: (label: string) => void): () => void {
  const wedge = new Wedge();
  const down = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const inField = event.target instanceof HTMLElement && event.target.matches("input, textarea, select, [contenteditable]");
    const label = wedge.press({ key: event.key, at: event.timeStamp });
    if (label === null || inField) return;
    event.preventDefault();
    event.stopPropagation();
    read(label);
  };
  window.addEventListener("keydown", down, true);
  return () => window.removeEventListener("keydown", down, true);
}
