/** Whether shortcuts of plain keys are bound: who speaks to the machine, or trembles, turns them off. Kept in this browser. */
const KEY = "rackside.plain-keys";

class PlainKeys {
  on = $state(read());

  set(on: boolean): void {
    this.on = on;
    try {
      if (on) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, "off");
    } catch {
      // The choice then lasts as long as this page.
    }
  }
}

function read(): boolean {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

export const plainKeys = new PlainKeys();
