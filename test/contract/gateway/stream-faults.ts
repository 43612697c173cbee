import type { Received } from './stream-clients.ts';
import { readFrames, type StreamFormat } from './stream-frames.ts';

/**
 * Describes the fault in the way a failure was reported to the client. Null if the failure was reported once,
 * cleanly, and not as a success. The client may have received only complete frames from `whole`. If only the
 * usage is missing, `mayHaveStopped` allows the end of the stream.
 */
export function faultOf(
  client: StreamFormat,
  { status, bytes }: Received,
  whole?: Buffer,
  mayHaveStopped = false,
): string | null {
  if (status !== 200) return faultOfPlainError(client, status, bytes);
  try {
    const frames = readFrames(client, bytes);
    const kinds = frames.map(({ kind }) => kind);
    if (kinds.includes('end') && !mayHaveStopped) return 'a success terminator';
    if (kinds.filter((kind) => kind === 'error').length !== 1) return `errors: ${kinds.join()}`;
    if (kinds.at(-1) !== 'error') return 'more after the error';
    const told = bytes.subarray(0, frames.at(-2)?.end ?? 0);
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
