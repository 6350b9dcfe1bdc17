/** Tags that are held to the phone, where the browser reads them (Chromium on Android). */

interface Tag {
  message: { records: { recordType: string; data?: DataView; encoding?: string }[] };
  serialNumber: string;
}
interface Reader extends EventTarget {
  scan: (options: { signal: AbortSignal }) => Promise<void>;
}

export const hasNfc = (): boolean => "NDEFReader" in globalThis;

/** The text or address on a tag; empty when it holds neither. */
export function textOf(tag: Tag): string {
  const record = tag.message.records.find(({ recordType }) => recordType === "text" || recordType === "url");
  return record?.data ? new TextDecoder(record.encoding ?? "utf-8").decode(record.data) : "";
}

/** Rejects when it is refused or switched off. */
export async function readTags(read: (label: string) => void, signal: AbortSignal): Promise<void> {
  const reader = new (globalThis as unknown as { NDEFReader: new () => Reader }).NDEFReader();
  reader.addEventListener("reading", (event) => {
    const text = textOf(event as unknown as Tag);
    if (text) read(text);
  });
  await reader.scan({ signal });
}
