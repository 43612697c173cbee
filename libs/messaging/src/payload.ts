/** NATS `max_payload`, which the server's configuration sets to the same. */
export const messageBytesMax = 8 * 1024 * 1024;

export function encodeJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

/** Throws SyntaxError. */
export function decodeJson(data: Uint8Array): unknown {
  return JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8'));
}
