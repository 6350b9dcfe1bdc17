/** A word about what was just done, with the way back. One at a time: the newest is what one thinks of. */

export interface ToastAction {
  word: string;
  run: () => Promise<string>;
}

class Toasts {
  text = $state("");
  action = $state.raw<ToastAction | null>(null);
  busy = $state(false);
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** An action is offered as long as one needs to see that something was wrong. */
  show(text: string, action: ToastAction | null = null): void {
    clearTimeout(this.timer);
    this.text = text;
    this.action = action;
    this.timer = setTimeout(() => this.close(), action ? 20_000 : 6_000);
  }

  async run(): Promise<void> {
    const action = this.action;
    if (!action || this.busy) return;
    clearTimeout(this.timer);
    this.busy = true;
    try {
      this.show(await action.run());
    } catch (error) {
      this.show(`Not undone: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      this.busy = false;
    }
  }

  close(): void {
    clearTimeout(this.timer);
    this.text = "";
    this.action = null;
  }
}

export const toast = new Toasts();
