/** One ticking clock for all relative times on the page. */
class Now {
  ms = $state(Date.now());

  constructor() {
    // Where components are drawn without a browser, no clock runs.
    if (typeof document === "undefined") return;
    setInterval(() => {
      if (!document.hidden) this.ms = Date.now();
    }, 1_000);
  }
}

export const now = new Now();
