import type { Received } from './stream-clients.ts';
import { readFrames, type StreamFormat } from './stream-frames.ts';

/**
 * Checks the error that a client received, and describes the first mistake in the error. Returns null if the client
 * received exactly one error, at the end, and no sign of success. The complete frames before the error must form a
 * prefix of `whole`. If `mayHaveStopped` is true, the stream may contain the end of the response before the error.
 */
export function faultOf(
  client: StreamFormat,
  { status, bytes, isReset }: Received,
  whole?: Buffer,
  mayHaveStopped = false,
): string | null {
  if (status !== 200) return faultOfPlainError(client, status, bytes);
  try {
    const frames = readFrames(client, bytes);
    const kinds = frames.map(({ kind }) => kind);
    if (kinds.includes('end') && !mayHaveStopped) return 'a success terminator';
    const events = kinds.filter((kind) => kind === 'error').length;
    if (events + Number(isReset) !== 1) return `reset: ${isReset}, errors: ${kinds.join()}`;
    if (!isReset && kinds.at(-1) !== 'error') return 'more after the error';
    const told = bytes.subarray(0, frames.at(isReset ? -1 : -2)?.end ?? 0);
    return whole === undefined || whole.subarray(0, told.length).equals(told) ? null : 'not what was sent';
  } catch (error) {
    return String(error);
  }
}

function faultOfPlainError(client: StreamFormat, status: number, bytes: Buffer): string | null {
  const body = JSON.parse(bytes.toString()) as { error?: { message?: string }; message?: string };
  const message = client === 'converse' ? body.message : body.error?.message;
  return status >= 500 && typeof message === 'string' ? null : `${status} ${bytes.toString()}`;
}
