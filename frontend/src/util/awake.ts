/** The screen stays on, where the browser can do that: gloves wake no phone, and nobody touches a screen on the wall. */

/** Until it is called back. A browser lets go when the page is hidden, and is asked again when it is seen. */
export function keepAwake(): () => void {
  if (!("wakeLock" in navigator)) return () => undefined;
  let lock: WakeLockSentinel | null = null;
  let over = false;
  const ask = async () => {
    if (over || document.visibilityState !== "visible") return;
    // Refused when the battery is low: then the screen goes dark as always.
    lock = await navigator.wakeLock.request("screen").catch(() => null);
    if (over) void lock?.release();
  };
  const again = () => void ask();
  document.addEventListener("visibilitychange", again);
  again();
  return () => {
    over = true;
    document.removeEventListener("visibilitychange", again);
    void lock?.release();
  };
}
