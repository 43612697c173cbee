import { setTimeout as sleep } from 'node:timers/promises';
import { forgetPeak, readPeakMiB, readResidentMiB } from './memory.ts';
import type { StreamingProvider } from './provider-process.ts';
import { openStream, readBody, type StreamTarget } from './stream-client.ts';

export interface StallFigures {
  /** The size of the whole stream in bytes. */
  readonly bytes: number;
  /**
   * Number of bytes that the provider could send while the client was not reading. The number equals the
   * total size of all buffers between provider and client.
   */
  readonly sentWhileStalledBytes: number;
  readonly residentBeforeMiB: number;
  /** The maximum growth of the gateway's memory while the client was not reading. */
  readonly grownMiB: number;
  /** Whether the client received every byte of the stream unchanged. */
  readonly isWhole: boolean;
}

const stalledMs = 5_000;

/** Sends a 200 MB stream as fast as possible. The client reads the response head and then pauses for 5 s. */
export async function measureStall(
  target: StreamTarget,
  provider: StreamingProvider,
  edgePid: number,
): Promise<StallFigures> {
  const order = { id: 'stalled', chunks: 50_000, everyMs: 0, fillBytes: 3_400, cutsFrames: false };
  const residentBeforeMiB = readResidentMiB(edgePid);
  forgetPeak(edgePid);
  const answer = await openStream(target, order);
  await sleep(stalledMs);
  const grownMiB = readPeakMiB(edgePid) - residentBeforeMiB;
  const sentWhileStalledBytes = (await provider.readSent()).sent[order.id]?.bytes ?? 0;
  const { bytes, sha256 } = await readBody(answer);
  const isWhole = (await provider.readSent()).sent[order.id]?.sha256 === sha256;
  return { bytes, sentWhileStalledBytes, residentBeforeMiB, grownMiB, isWhole };
}
