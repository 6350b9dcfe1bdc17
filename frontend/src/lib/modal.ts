/** An element `<dialog>` as a modal for as long as it is in the page. The browser keeps the focus inside and makes the page
 * behind inert; Escape, a phone's Back and, unless `firm`, a click beside ask to close. Then the focus goes back to what opened it. */
import type { Attachment } from "svelte/attachments";

export function modal(close: () => void, { firm = false } = {}): Attachment<HTMLDialogElement> {
  return (dialog) => {
    const opener = document.activeElement;
    const cancel = (event: Event) => {
      // Whoever opened it takes it out of the page.
      event.preventDefault();
      close();
    };
    const click = (event: MouseEvent) => {
      if (!firm && event.target === dialog) close();
    };
    dialog.addEventListener("cancel", cancel);
    dialog.addEventListener("click", click);
    dialog.showModal();
    return () => {
      dialog.removeEventListener("cancel", cancel);
      dialog.removeEventListener("click", click);
      dialog.close();
      // The browser gives the focus back too, but not from an element that has left the page by then.
      const lost = document.activeElement === document.body || dialog.contains(document.activeElement);
      if (lost && opener instanceof HTMLElement) opener.focus();
    };
  };
}
