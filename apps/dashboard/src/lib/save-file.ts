/**
 * Saves a file with the browser. Downloads that need the access token in a header cannot use a plain link.
 */
export function saveFile(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
