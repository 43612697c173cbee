import { open } from 'node:fs/promises';
import { isAcceptLine, isWholeLine, sliceEndLine } from './spool-line.ts';
import type { Segment } from './segment.ts';

/** A run of a segment, as the data of one job. */
export interface Batch {
  /** Names these bytes of this segment: the same id always carries the same events. */
  readonly id: string;
  /** The job's data: JSON text, in UTF-8. Null where the run has accept lines alone. */
  readonly data: Buffer | null;
  /** Bytes of the segment from `start` to `end`, accept lines included. */
  readonly start: number;
  readonly end: number;
}

export const batchEventsMax = 500;
const comma = Buffer.from(',');
const chunkBytes = 1 << 20;

/**
 * The batch that starts at an offset of a segment: up to 500 endings or one chunk. Pass `end` to cut again exactly what was cut before.
 */
export async function cutBatch(segment: Segment, start: number, end?: number): Promise<Batch> {
  const limit = end ?? segment.bytes;
  const file = await open(segment.path, 'r');
  try {
    for (let size = end === undefined ? chunkBytes : end - start; ; size *= 2) {
      const bytes = Buffer.allocUnsafe(Math.min(size, limit - start));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
      if (bytesRead < bytes.length) throw new Error(`${segment.path} is shorter than what was written to it`);
      // A line longer than the chunk: read on.
      if (bytes.lastIndexOf(10) === -1) continue;
      return renderBatch(segment, start, bytes, end === undefined ? batchEventsMax : Infinity);
    }
  } finally {
    await file.close();
  }
}

function renderBatch(segment: Segment, start: number, bytes: Buffer, eventsMax: number): Batch {
  const events: Buffer[] = [];
  const traceparents: string[] = [];
  let offset = 0;
  for (let lineEnd = bytes.indexOf(10, 0); lineEnd !== -1; lineEnd = bytes.indexOf(10, offset)) {
    if (traceparents.length === eventsMax) break;
    const wanted = !isAcceptLine(bytes, offset);
    if (wanted && (!segment.recovered || isWholeLine(bytes.toString('utf8', offset, lineEnd)))) {
      const line = sliceEndLine(bytes, offset, lineEnd);
      if (events.length > 0) events.push(comma);
      events.push(line.event);
      traceparents.push(line.traceparent);
    }
    offset = lineEnd + 1;
  }
  const end = start + offset;
  const id = `${segment.id}_${start}_${end}`;
  if (events.length === 0) return { id, data: null, start, end };
  const head = Buffer.from(`{"batchId":"${id}","events":[`);
  const tail = Buffer.from(`],"traceparents":[${traceparents.join(',')}]}`);
  return { id, data: Buffer.concat([head, ...events, tail]), start, end };
}
