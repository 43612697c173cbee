import type { StreamEvent } from '@gateway/interchange';
import { redactedText, secretCharsMin, SecretSet } from '@gateway/observability';
import { encodeEventStream, EventStreamDecoder } from '@gateway/wire-formats';
import { splitBinaryFrames } from './frame-gate.ts';

/**
 * Redacts the provider credential in a provider's error text. Some providers quote the rejected
 * key in the error text.
 * @param secrets the secret values in the credential
 */
export function redactErrorText(text: string, secrets: readonly string[]): string {
  const set = new SecretSet();
  let redacted = text;
  for (const secret of secrets) {
    if (secret.length >= secretCharsMin) set.add(secret);
    else if (secret !== '') redacted = redacted.replaceAll(secret, redactedText);
  }
  return set.redact(redacted);
}

/**
 * Maximum length in bytes of a body that is always converted to text. A body above this length is converted to text
 * only if the last characters of a secret occur in the body.
 */
const shortBytes = 1024 * 1024;

/**
 * Redacts the provider credential in an error body in the same way as `redactErrorText`. Returns the body unchanged
 * if it contains no secret.
 */
export function redactErrorBody(body: Buffer, secrets: readonly string[]): Buffer {
  if (body.length > shortBytes && !secrets.some((secret) => body.includes(secret.slice(-secretCharsMin))))
    return body;
  const text = body.toString('utf8');
  const redacted = redactErrorText(text, secrets);
  return redacted === text ? body : Buffer.from(redacted, 'utf8');
}

/** Redacts the provider credential in the error events of a stream. */
export function redactErrorEvents(
  events: readonly StreamEvent[],
  secrets: readonly string[],
): readonly StreamEvent[] {
  if (!events.some(isError)) return events;
  return events.map((event) =>
    isError(event) ? { ...event, message: redactErrorText(event.message, secrets) } : event,
  );
}

/**
 * Redacts the provider credential in error frames. The frames are complete and in the provider's own format. The
 * function redacts the credential in the same way as `redactErrorText`.
 */
export function redactErrorFrames(
  frames: Buffer,
  framing: 'sse' | 'event-stream',
  secrets: readonly string[],
): Buffer {
  if (framing === 'sse') return redactErrorBody(frames, secrets);
  return Buffer.concat(splitBinaryFrames(frames).map((frame) => redactBinaryFrame(frame, secrets)));
}

/** Redacts a frame and encodes it again, because a frame contains its length and checksums. */
function redactBinaryFrame(frame: Buffer, secrets: readonly string[]): Buffer {
  const [message] = new EventStreamDecoder().push(frame);
  if (message === undefined) return frame;
  const own = Buffer.from(message.payload);
  const payload = redactErrorBody(own, secrets);
  return payload === own ? frame : Buffer.from(encodeEventStream({ ...message, payload }));
}

function isError(event: StreamEvent): event is Extract<StreamEvent, { type: 'error' }> {
  return event.type === 'error';
}
