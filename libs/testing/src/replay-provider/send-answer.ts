import type { ServerResponse } from 'node:http';
import { setTimeout as waitMs } from 'node:timers/promises';
import { cutBody, type ReplayControls } from './controls.ts';
import type { ReplayedAnswer } from './exchange.ts';

/** Delay before a connection reset, in milliseconds, because a reset may overtake data that was already written. */
const beforeResetMs = 50;

/** Overrides parts of a recorded response according to the controls. */
export function applyOverrides(answer: ReplayedAnswer, controls: ReplayControls): ReplayedAnswer {
  const { retryAfterMs } = controls;
  return {
    status: controls.status ?? answer.status,
    headers: {
      ...answer.headers,
      ...controls.headers,
      ...(retryAfterMs === undefined
        ? {}
        : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)), 'retry-after-ms': String(retryAfterMs) }),
    },
    body: controls.body === undefined ? answer.body : toBytes(controls.body),
  };
}

function toBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/**
 * Sends a response according to the controls. The promise resolves when the response has been sent, reset
 * or stalled, or when the client has disconnected.
 */
export async function sendAnswer(
  response: ServerResponse,
  answer: ReplayedAnswer,
  controls: ReplayControls,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const pause = (durationMs: number): Promise<unknown> =>
    waitMs(durationMs, undefined, { signal: gone.signal }).catch(() => undefined);

  await Promise.race([controls.firstByteAfter, untilAborted(gone.signal)]);
  await pause(controls.firstByteDelayMs ?? 0);
  if (controls.hang === 'before-headers' || gone.signal.aborted) return;
  if (controls.resetAtByte === 'before-headers') {
    response.socket?.resetAndDestroy();
    return;
  }
  const pieces = cutBody(answer.body, controls);
  const isWhole = pieces.length === 1 && controls.resetAtByte === undefined && controls.hang === undefined;
  const length = isWhole ? { 'content-length': String(answer.body.length) } : {};
  response.writeHead(answer.status, { ...answer.headers, ...length });
  response.flushHeaders();

  const end = [controls.resetAtByte, controls.hang].find((at) => typeof at === 'number') ?? Infinity;
  let sent = 0;
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (sent >= end) break;
    if (sent > 0 && controls.chunkDelayMs !== undefined) await pause(controls.chunkDelayMs);
    await write(response, piece, gone.signal);
    sent += piece.length;
  }
  if (controls.resetAtByte !== undefined) {
    await pause(beforeResetMs);
    response.socket?.resetAndDestroy();
  } else if (controls.hang === undefined) response.end();
}

const untilAborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));

/** Waits for the socket only if its buffer is full. Waiting for the socket at every byte would take seconds. */
async function write(response: ServerResponse, piece: Buffer, gone: AbortSignal): Promise<void> {
  if (response.write(piece) || gone.aborted) return;
  await new Promise<void>((resolve) => {
    const proceed = (): void => {
      response.off('drain', proceed);
      gone.removeEventListener('abort', proceed);
      resolve();
    };
    response.once('drain', proceed);
    gone.addEventListener('abort', proceed, { once: true });
  });
}
