/** Something a person set going: whether it is under way, and what went wrong with it last. */
export class Work {
  busy = $state(false);
  error = $state.raw<unknown>(null);

  /** Do it; whether it succeeded. What was wrong before is forgotten first. */
  async run(what: () => Promise<unknown>): Promise<boolean> {
    this.busy = true;
    this.error = null;
    try {
      await what();
      return true;
    } catch (caught) {
      this.error = caught;
      return false;
    } finally {
      this.busy = false;
    }
  }
}
