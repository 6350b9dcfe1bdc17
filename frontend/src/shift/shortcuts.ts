/** Every shortcut, once: the table that binds the keys is the one that the sheet shows. Pure. */

export const SCOPES = { everywhere: "Everywhere", go: "Go to", map: "On the floor map", time: "On the strip of 24 hours" } as const;
export type Scope = keyof typeof SCOPES;

export interface Shortcut {
  id: string;
  scope: Scope;
  /** Each is one way to press it: keys one after the other, `Ctrl+` before a key that is held with it. */
  keys: readonly string[];
  says: string;
  /** Where it leads, of those that go somewhere. */
  href?: string;
}

export const SHORTCUTS = [
  { id: "palette", scope: "everywhere", keys: ["Ctrl+k"], says: "Go, find, do" },
  { id: "search", scope: "everywhere", keys: ["/"], says: "Search" },
  { id: "sheet", scope: "everywhere", keys: ["?"], says: "These shortcuts" },
  { id: "star", scope: "everywhere", keys: ["f"], says: "Add this page to your favourites, or take it out" },
  { id: "go-floor", scope: "go", keys: ["g f"], says: "Floor", href: "/" },
  { id: "go-machines", scope: "go", keys: ["g m"], says: "Machines", href: "/machines" },
  { id: "go-tickets", scope: "go", keys: ["g t"], says: "Tickets", href: "/tickets" },
  { id: "go-training", scope: "go", keys: ["g r"], says: "Training runs", href: "/training" },
  { id: "go-checks", scope: "go", keys: ["g c"], says: "Checks", href: "/checks" },
  { id: "go-incidents", scope: "go", keys: ["g i"], says: "Incidents", href: "/automation/incidents" },
  { id: "go-fabric", scope: "go", keys: ["g n"], says: "Fabric", href: "/fabric" },
  { id: "go-provisioning", scope: "go", keys: ["g p"], says: "Provisioning", href: "/provisioning" },
  { id: "go-hand-over", scope: "go", keys: ["g h"], says: "Hand-over", href: "/hand-over" },
  { id: "map-move", scope: "map", keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], says: "Next rack in that direction" },
  { id: "map-open", scope: "map", keys: ["Enter"], says: "Open the rack" },
  { id: "map-mark", scope: "map", keys: ["x"], says: "Select the machines of the rack, or take them out" },
  { id: "map-in", scope: "map", keys: ["+", "="], says: "Zoom in" },
  { id: "map-out", scope: "map", keys: ["-"], says: "Zoom out" },
  { id: "map-fit", scope: "map", keys: ["0"], says: "Fit the whole room" },
  { id: "map-leave", scope: "map", keys: ["Escape"], says: "Close what is open" },
  { id: "time-back", scope: "time", keys: ["ArrowLeft", "ArrowDown"], says: "5 minutes back, with Shift an hour" },
  { id: "time-on", scope: "time", keys: ["ArrowRight", "ArrowUp"], says: "5 minutes on, with Shift an hour" },
  { id: "time-now", scope: "time", keys: ["Escape"], says: "Back to now" },
] as const satisfies readonly Shortcut[];
export type ShortcutId = (typeof SHORTCUTS)[number]["id"];

export interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** How a press is written in the table; empty for what no shortcut uses. */
export function written({ key, ctrlKey, metaKey, altKey }: Press): string {
  if (altKey) return "";
  return ctrlKey || metaKey ? `Ctrl+${key.toLowerCase()}` : key;
}

/** The shortcut of one press in a scope where each is one key. */
export function shortcutOf(event: Press, scope: Scope): ShortcutId | null {
  const text = written(event);
  const found = (SHORTCUTS as readonly Shortcut[]).find((each) => each.scope === scope && each.keys.includes(text));
  return (found?.id as ShortcutId | undefined) ?? null;
}

/** After so long the first key of two is forgotten. */
export const TOGETHER_MS = 1_200;

/** Presses one after the other, of the scopes that hold on every page. */
export class Presses {
  private before = "";
  private at = 0;

  /** The shortcut that this press completes. */
  next(event: Press, nowMs: number): ShortcutId | null {
    const text = written(event);
    const known = nowMs - this.at <= TOGETHER_MS ? this.before : "";
    const candidates = (SHORTCUTS as readonly Shortcut[]).filter(({ scope }) => scope === "everywhere" || scope === "go");
    const wanted = known ? `${known} ${text}` : text;
    const found = candidates.find(({ keys }) => keys.includes(wanted)) ?? candidates.find(({ keys }) => keys.includes(text));
    this.before = found ? "" : text;
    this.at = nowMs;
    return (found?.id as ShortcutId | undefined) ?? null;
  }
}

/** Without Ctrl: what speech input and slipped fingers press too. These can be turned off. */
export const isPlain = ({ keys }: Shortcut): boolean => keys.every((each) => !each.startsWith("Ctrl+"));

const NAMES: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

/** The caps of one way to press it: `Ctrl`, `K`. */
export const capsOf = (keys: string): string[] =>
  keys.split(/[ ]|(?<=Ctrl)\+/).map((key) => NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key));
