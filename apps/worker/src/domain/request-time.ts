/** When a request was accepted, in Unix milliseconds, from its UUIDv7 (RFC 9562, section 5.7); null for another UUID. */
export function parseRequestTimeMs(requestId: string): number | null {
  if (requestId[14] !== '7') return null;
  return Number.parseInt(requestId.slice(0, 8) + requestId.slice(9, 13), 16);
}
