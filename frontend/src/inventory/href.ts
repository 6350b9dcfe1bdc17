/** A device's own page. */
export const deviceHref = (device: { id: number; kind: string }): string => `/${device.kind === "machine" ? "machines" : "devices"}/${device.id}`;
