import { forgetPeak, readPeakMiB, readResidentMiB } from './memory.ts';
import type { StreamingProvider } from './provider-process.ts';
import { openStream, readBody, type ReadBody, type StreamTarget } from './stream-client.ts';

export interface CrowdFigures {
  readonly streams: number;
  /** The largest number of streams that were open at the same time, as counted by the provider. */
  readonly openMost: number;
  readonly bytes: number;
  /** The number of streams in which the received bytes differed from the sent bytes. */
  readonly damaged: number;
  readonly residentBeforeMiB: number;
  readonly residentPeakMiB: number;
}

/**
 * Opens many slow streams concurrently. Each stream sends 24 chunks over 12 s, split at arbitrary positions.
 * Verifies the hash of each stream.
 */
export async function measureCrowd(
  target: StreamTarget,
  streams: number,
  provider: StreamingProvider,
  edgePid: number,
): Promise<CrowdFigures> {
  const residentBeforeMiB = readResidentMiB(edgePid);
  forgetPeak(edgePid);
  const bodies = await Promise.all(
    Array.from({ length: streams }, async (_, index): Promise<readonly [string, ReadBody]> => {
      const order = { id: `crowd-${index}`, chunks: 24, everyMs: 500, fillBytes: 200, cutsFrames: true };
      return [order.id, await readBody(await openStream(target, order))];
    }),
  );
  const { openMost, sent } = await provider.readSent();
  return {
    streams,
    openMost,
    bytes: bodies.reduce((sum, [, { bytes }]) => sum + bytes, 0),
    damaged: bodies.filter(([id, { sha256 }]) => sent[id]?.sha256 !== sha256).length,
    residentBeforeMiB,
    residentPeakMiB: readPeakMiB(edgePid),
  };
}
