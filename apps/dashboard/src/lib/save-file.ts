/**
 * Saves a file through the browser. A plain link is not enough for downloads that need the access token in a
 * header.
 */
export function saveFile(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
