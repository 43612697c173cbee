import { open } from 'node:fs/promises';
import { isAcceptLine, isWholeLine, locateEndLine } from './spool-line.ts';
import type { Segment } from './segment.ts';

/** A byte range of a segment file in the spool, rendered as the data of one queue job. */
export interface Batch {
  /** Identifies the byte range in its segment. A batch id always identifies the same events. */
  readonly id: string;
  /**
   * The job's data as UTF-8 JSON text, valid until the next batch is cut. Null if the byte range contains
   * only accept lines.
   */
  readonly data: Buffer | null;
  /** The byte range of the lines in the segment, including accept lines. */
  readonly start: number;
  readonly end: number;
}

const batchEventsMax = 500;
const chunkBytes = 1 << 20;
/**
 * Number of bytes reserved for the text before the first event of a batch. The reserved text contains the
 * batch id, which consists of a UUID and two offsets.
 */
const headBytes = 256;
const [comma, newline] = [0x2c, 0x0a] as const;

/**
 * Cuts batches one at a time into one reused buffer. If each batch allocated a new megabyte outside the heap, V8
 * would run a full garbage collection every few dozen batches. Without reuse, garbage collection took a quarter of
 * the recording time.
 */
export class BatchCutter {
  #kept = Buffer.allocUnsafeSlow(headBytes + chunkBytes);

  /**
   * Returns the batch that starts at the given offset in a segment. A batch ends after 500 end lines or after
   * one chunk of the segment. A batch exceeds the chunk length only if it consists of one long line. If `end`
   * is given, the function reproduces an earlier batch exactly.
   */
  async cut(segment: Segment, start: number, end?: number): Promise<Batch> {
    const limit = end ?? segment.bytes;
    const file = await open(segment.path, 'r');
    try {
      for (let size = end === undefined ? chunkBytes : end - start; ; size *= 2) {
        const length = Math.min(size, limit - start);
        const bytes = this.#roomFor(length);
        const { bytesRead } = await file.read(bytes, headBytes, length, start);
        if (bytesRead < length) throw new Error(`the spool file ${segment.path} is truncated`);
        const filled = bytes.subarray(0, headBytes + length);
        // If the line is longer than the chunk, more bytes are read.
        if (filled.lastIndexOf(newline) < headBytes) continue;
        return renderBatch(segment, start, filled, end === undefined ? batchEventsMax : Infinity);
      }
    } finally {
      await file.close();
    }
  }

  /**
   * Replaces the buffer after a failed delivery, because the queue may still be reading the batch from the old
   * buffer.
   */
  replaceBuffer(): void {
    this.#kept = Buffer.allocUnsafeSlow(headBytes + chunkBytes);
  }

  #roomFor(length: number): Buffer {
    const needed = headBytes + length;
    return needed <= this.#kept.length ? this.#kept : Buffer.allocUnsafeSlow(needed);
  }
}

/**
 * Renders the lines in place in the read buffer. The first bytes of the buffer are reserved for the batch header.
 * Each event moves towards the start of the buffer, and overwrites only bytes that were already read. The rendered
 * form of an event is never longer than the event's line.
 */
function renderBatch(segment: Segment, start: number, bytes: Buffer, eventsMax: number): Batch {
  const traceparents: string[] = [];
  let [offset, filled] = [headBytes, headBytes];
  for (
    let lineEnd = bytes.indexOf(newline, offset);
    lineEnd !== -1;
    lineEnd = bytes.indexOf(newline, offset)
  ) {
    if (traceparents.length === eventsMax) break;
    const wanted = !isAcceptLine(bytes, offset);
    if (wanted && (!segment.recovered || isWholeLine(bytes.toString('utf8', offset, lineEnd)))) {
      const { traceparent, eventStart, eventEnd } = locateEndLine(bytes, offset, lineEnd);
      if (traceparents.length > 0) bytes[filled++] = comma;
      bytes.copyWithin(filled, eventStart, eventEnd);
      filled += eventEnd - eventStart;
      traceparents.push(traceparent);
    }
    offset = lineEnd + 1;
  }
  const end = start + offset - headBytes;
  const id = `${segment.id}_${start}_${end}`;
  if (traceparents.length === 0) return { id, data: null, start, end };
  const head = `{"batchId":"${id}","events":[`;
  bytes.write(head, headBytes - head.length, 'latin1');
  filled += bytes.write(`],"traceparents":[${traceparents.join(',')}]}`, filled, 'latin1');
  return { id, data: bytes.subarray(headBytes - head.length, filled), start, end };
}
