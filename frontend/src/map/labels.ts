/** Labels of slots as they are printed on a chassis. */

/** What is printed on the chassis, without the word all its neighbours share: `SXM 7` is 7, `Slot 31 port 1` is 31·1. */
export function shortLabel(label: string): string {
  const numbers = label.match(/\d+/g);
  if (!numbers || /^[A-Z]\d+$/.test(label)) return label;
  return numbers.join("·");
}

export function byLabel<T extends { label: string }>(parts: T[]): T[] {
  return [...parts].sort((a, b) => a.label.localeCompare(b.label, "en", { numeric: true }));
}
