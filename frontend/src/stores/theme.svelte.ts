/** Light, dark, or as the system says. `public/theme.js` applies the stored choice before the first paint. */
export type Theme = "system" | "light" | "dark";

const KEY = "rackside.theme";

class ThemeStore {
  choice = $state<Theme>("system");
  /** Counts up whenever colours change, so that the canvas draws again. */
  changes = $state(0);

  constructor() {
    const stored = read();
    if (stored === "light" || stored === "dark") this.choice = stored;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (this.changes += 1));
  }

  set(choice: Theme): void {
    this.choice = choice;
    const root = document.documentElement;
    if (choice === "system") delete root.dataset.theme;
    else root.dataset.theme = choice;
    try {
      if (choice === "system") localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, choice);
    } catch {
      // The choice then lasts as long as this page.
    }
    this.changes += 1;
  }
}

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export const theme = new ThemeStore();
