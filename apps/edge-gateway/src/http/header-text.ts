/** A client's own words may hold what no header can: that is percent-encoded. */
export function renderHeaderText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}
