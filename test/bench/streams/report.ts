import type { CrowdFigures } from './measure-crowd.ts';
import type { DelayFigures } from './measure-delay.ts';
import type { StallFigures } from './measure-stall.ts';

type Way = 'direct' | 'bare' | 'ours';

export interface StreamFigures {
  readonly delays: Readonly<Record<Way, DelayFigures>>;
  readonly stall: StallFigures;
  readonly crowd: CrowdFigures;
}

/** Prints a readable table and one line of JSON. */
export function reportStreams(format: string, { delays, stall, crowd }: StreamFigures): void {
  const { direct, bare, ours } = delays;
  const addedBy = (way: Way) => (figure: keyof DelayFigures) => delays[way][figure] - direct[figure];
  const added = addedBy('ours');
  console.log(`\n${format}`);
  console.log('milliseconds           direct      bare      ours     added');
  for (const [name, figure] of [
    ['chunk p50', 'chunkP50Ms'],
    ['chunk p99', 'chunkP99Ms'],
    ['first byte p50', 'firstByteP50Ms'],
  ] as const) {
    const columns = [direct[figure], bare[figure], ours[figure], added(figure)];
    console.log(name.padEnd(19) + columns.map((value) => value.toFixed(3).padStart(10)).join(''));
  }
  console.log(
    `\n${crowd.streams} slow streams (${crowd.openMost} at once): ${(crowd.bytes / 1e6).toFixed(1)} MB, ` +
      `${crowd.damaged} damaged; gateway ${crowd.residentBeforeMiB.toFixed(0)} MiB before, ` +
      `${crowd.residentPeakMiB.toFixed(0)} MiB at most`,
  );
  console.log(
    `Stalled reader on ${(stall.bytes / 1e6).toFixed(0)} MB: ${(stall.sentWhileStalledBytes / 1e6).toFixed(1)} MB ` +
      `taken from the provider; gateway ${stall.residentBeforeMiB.toFixed(0)} MiB before, ` +
      `${stall.grownMiB.toFixed(1)} MiB more at most; then read ${stall.isWhole ? 'whole' : 'DAMAGED'}`,
  );
  const summary = {
    format,
    added_ms: renderAdded(added),
    added_by_bare_proxy_ms: renderAdded(addedBy('bare')),
    crowd: {
      streams: crowd.streams,
      open_at_once: crowd.openMost,
      damaged: crowd.damaged,
      resident_peak_mib: crowd.residentPeakMiB,
    },
    stall: { stream_bytes: stall.bytes, grown_mib: stall.grownMiB, is_whole: stall.isWhole },
    targets: {
      added_ms: { chunk_p50: 0.3, first_byte_p50: 1.5 },
      crowd: { damaged: 0, resident_peak_mib: 400 },
      stall: { grown_mib: 32 },
    },
  };
  console.log(`\n${JSON.stringify(summary)}`);
}

function renderAdded(added: (figure: keyof DelayFigures) => number): Record<string, number> {
  return {
    chunk_p50: added('chunkP50Ms'),
    chunk_p99: added('chunkP99Ms'),
    first_byte_p50: added('firstByteP50Ms'),
  };
}
