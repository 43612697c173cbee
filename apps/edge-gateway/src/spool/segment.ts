/** A segment file, as one process keeps account of it. */
export interface Segment {
  /** A UUIDv7: names sort by age and are never used twice, so that a batch id names the same bytes for ever. */
  readonly id: string;
  readonly path: string;
  readonly openedAtMs: number;
  /** Whether its lines came from a process that died, and so may be damaged. */
  readonly recovered: boolean;
  /** Bytes of whole lines in the file. */
  bytes: number;
  /** Nothing more will be appended. */
  sealedAtMs: number | null;
  /** Everything before this offset is in a batch that was given to the queue. */
  shippedBytes: number;
  /** Batches of it that the worker has not reported as committed. */
  uncommittedBatches: number;
  /** Requests accepted here whose ending is not on disk. */
  openAccepts: number;
}

export const segmentSuffix = '.jsonl';

export function createSegment(options: Pick<Segment, 'id' | 'path' | 'openedAtMs' | 'recovered'>): Segment {
  return { ...options, bytes: 0, sealedAtMs: null, shippedBytes: 0, uncommittedBatches: 0, openAccepts: 0 };
}

/** Whether all endings in a sealed segment are in Postgres. Requests accepted in it may still be open. */
export function isCommitted(segment: Segment): boolean {
  return (
    segment.sealedAtMs !== null && segment.shippedBytes === segment.bytes && segment.uncommittedBatches === 0
  );
}
