/** The value of an `<input type="datetime-local">` for a time, in the reader's time zone. */
export function toLocalInput(instant: string | undefined): string {
  if (instant === undefined || instant === '') return '';
  const date = new Date(instant);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * Converts the value of an `<input type="datetime-local">` to an RFC 3339 time. Returns an empty string if
 * the value is not a valid time.
 */
export function fromLocalInput(value: string): string {
  const timeMs = Date.parse(value);
  return Number.isNaN(timeMs) ? '' : new Date(timeMs).toISOString();
}
