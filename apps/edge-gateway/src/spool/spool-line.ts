import type { RequestAcceptedV1, RequestEventV1 } from '@gateway/contracts';
import type { LineBytes } from './line-bytes.ts';
import { writeShippedEvent } from './write-shipped-event.ts';

/**
 * The two lines of a segment file. Both are JSON arrays that start with a tag and a request id, so that a
 * reader finds what it needs at fixed offsets, and the event's own text can be shipped as it stands:
 *
 *     ["accept","<request id>",{…}]
 *     ["end","<request id>","<traceparent>"|null,{…}]
 */
const acceptIdStart = '["accept","'.length;
const endIdStart = '["end","'.length;
const idLength = 36;
const traceparentLength = 55;
const tagByteAt = 2;
const acceptTagByte = 'a'.charCodeAt(0);

export function writeAcceptLine(event: RequestAcceptedV1, line: LineBytes): void {
  line.text(`["accept","${event.requestId}",${JSON.stringify(event)}]\n`);
}

/** A traceparent of another shape than W3C's version 00 is written as null. */
export function writeEndLine(event: RequestEventV1, traceparent: string | null, line: LineBytes): void {
  const parent = traceparent?.length === traceparentLength ? `"${traceparent}"` : 'null';
  line.text(`["end","${event.requestId}",${parent},`);
  writeShippedEvent(event, line);
  line.text(']\n');
}

/** Whether the line that starts at `start` of a segment's bytes is an accept line; it is an end line otherwise. */
export function isAcceptLine(bytes: Buffer, start: number): boolean {
  return bytes[start + tagByteAt] === acceptTagByte;
}

export function acceptLineRequestId(bytes: Buffer, start: number): string {
  return bytes.toString('latin1', start + acceptIdStart, start + acceptIdStart + idLength);
}

export function endLineRequestId(bytes: Buffer, start: number): string {
  return bytes.toString('latin1', start + endIdStart, start + endIdStart + idLength);
}

/** The two parts of an end line: one as JSON text, the event as where it stands. `end` is the offset of the line's newline. */
export function locateEndLine(
  bytes: Buffer,
  start: number,
  end: number,
): { readonly traceparent: string; readonly eventStart: number; readonly eventEnd: number } {
  const parentStart = start + endIdStart + idLength + 2;
  const parentEnd = bytes.indexOf(',', parentStart, 'latin1');
  return {
    traceparent: bytes.toString('latin1', parentStart, parentEnd),
    eventStart: parentEnd + 1,
    eventEnd: end - 1,
  };
}

/** The accept event of a line; null if the line is torn or is not one. Used on what another process wrote. */
export function parseAcceptLine(line: string): RequestAcceptedV1 | null {
  const parsed = parseLine(line);
  return parsed?.[0] === 'accept' && parsed.length === 3 ? (parsed[2] as RequestAcceptedV1) : null;
}

/** Whether a line was written whole. */
export function isWholeLine(line: string): boolean {
  const parsed = parseLine(line);
  if (parsed === null || typeof parsed[1] !== 'string' || parsed[1].length !== idLength) return false;
  return (parsed[0] === 'accept' && parsed.length === 3) || (parsed[0] === 'end' && parsed.length === 4);
}

function parseLine(line: string): readonly unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(line);
    return Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
