import { setTimeout as sleep } from 'node:timers/promises';
import { timeStream, type StreamOrder, type StreamTarget, type StreamTimes } from './stream-client.ts';

/** The stream delays in milliseconds on one path to the provider. */
export interface DelayFigures {
  readonly chunkP50Ms: number;
  readonly chunkP99Ms: number;
  readonly firstByteP50Ms: number;
}

const paced: StreamOrder = { id: 'paced', chunks: 100, everyMs: 5, fillBytes: 20, cutsFrames: false };
const short: StreamOrder = { ...paced, id: 'short', chunks: 2, everyMs: 2 };
const concurrentStreams = 4;
const warmUpTurns = 500;
const firstBytesARound = 20;

/**
 * Measures streams on both paths alternately, so that other load slows both paths equally. Chunk delays are
 * measured with four open streams, and first bytes are measured with one stream at a time.
 */
export async function measureDelays<Way extends string>(
  targets: Readonly<Record<Way, StreamTarget>>,
  rounds: number,
): Promise<Record<Way, DelayFigures>> {
  const ways = Object.keys(targets) as Way[];
  const times = new Map(ways.map((way) => [way, { chunks: [] as number[], firstBytes: [] as number[] }]));
  for (const way of ways) await warmUp(targets[way]);
  for (let round = 0; round < rounds; round += 1) {
    for (const [way, { chunks, firstBytes }] of times) {
      const open = Array.from({ length: concurrentStreams }, () => timeStream(targets[way], paced));
      const delays = (await Promise.all(open)).flatMap(({ delaysMs }) => delaysMs);
      const starts: StreamTimes[] = [];
      while (starts.length < firstBytesARound) {
        starts.push(await timeStream(targets[way], short));
      }
      chunks.push(...delays);
      firstBytes.push(...starts.map(({ firstByteMs }) => firstByteMs));
    }
  }
  const figures = [...times].map(([way, { chunks, firstBytes }]) => [
    way,
    {
      chunkP50Ms: quantile(chunks, 0.5),
      chunkP99Ms: quantile(chunks, 0.99),
      firstByteP50Ms: quantile(firstBytes, 0.5),
    },
  ]);
  return Object.fromEntries(figures) as Record<Way, DelayFigures>;
}

/** Sends requests until the hot code is compiled, because the benchmark measures a warm process. */
async function warmUp(target: StreamTarget): Promise<void> {
  await timeStream(target, paced);
  const takeTurns = async () => {
    for (let turn = 0; turn < warmUpTurns; turn += 1) await timeStream(target, short);
  };
  await Promise.all(Array.from({ length: concurrentStreams }, takeTurns));
  await sleep(1_000);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
