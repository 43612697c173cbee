import type { RequestAcceptedV1, RequestEventV1 } from '@gateway/contracts';
import type { LineBytes } from './shipped-event.ts';
import { writeShippedEvent } from './shipped-event.ts';

/**
 * The two kinds of lines in a segment file. Each line in a segment file is a JSON array that starts with a tag and
 * a request id. Each field is at a fixed offset, and the event's text is shipped unchanged. A line has one of two
 * forms.
 *
 * ["accept","<request id>",{…}] ["end","<request id>","<traceparent>"|null,{…}]
 */
const acceptIdStart = '["accept","'.length;
const endIdStart = '["end","'.length;
const idLength = 36;
const traceparentLength = 55;
const tagByteAt = 2;
const acceptTagByte = 'a'.charCodeAt(0);

function writeAcceptLine(event: RequestAcceptedV1, line: LineBytes): void {
  line.text(`["accept","${event.requestId}",${JSON.stringify(event)}]\n`);
}

/** Writes an end line. A traceparent that does not match version 00 of the W3C format is written as null. */
export function writeEndLine(event: RequestEventV1, traceparent: string | null, line: LineBytes): void {
  const parent = traceparent?.length === traceparentLength ? `"${traceparent}"` : 'null';
  line.text(`["end","${event.requestId}",${parent},`);
  writeShippedEvent(event, line);
  line.text(']\n');
}

/**
 * Whether the line at `start` is an accept line. Every line in a segment file is either an accept line or an
 * end line.
 */
export function isAcceptLine(bytes: Buffer, start: number): boolean {
  return bytes[start + tagByteAt] === acceptTagByte;
}

export function acceptLineRequestId(bytes: Buffer, start: number): string {
  return bytes.toString('latin1', start + acceptIdStart, start + acceptIdStart + idLength);
}

export function endLineRequestId(bytes: Buffer, start: number): string {
  return bytes.toString('latin1', start + endIdStart, start + endIdStart + idLength);
}

/**
 * Returns the traceparent of an end line as JSON text, and the position of the event. The parameter `end` is
 * the offset of the newline character that ends the line.
 */
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

/**
 * Parses an accept event written by another process. Returns null if the line is incomplete or not an accept
 * line.
 */
export function parseAcceptLine(line: string): RequestAcceptedV1 | null {
  const parsed = parseLine(line);
  return parsed?.[0] === 'accept' && parsed.length === 3 ? (parsed[2] as RequestAcceptedV1) : null;
}

/** Returns whether a log line is complete. */
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

/**
 * An accept line that is not written yet. The line belongs to a new request (`accept`), or copies the accept
 * line of an open request (`carry`).
 */
interface PendingAccept {
  readonly kind: 'accept' | 'carry';
  readonly event: RequestAcceptedV1;
}

interface PendingEnd {
  readonly kind: 'end';
  readonly event: RequestEventV1;
  readonly traceparent: string | null;
}

export type PendingLine = PendingAccept | PendingEnd;

/** The lines that one write contains. All callers with lines in the same write share one promise. */
export interface LineGroup {
  readonly lines: PendingLine[];
  /** Estimated size of the lines in bytes, rounded up. */
  bytes: number;
  written: PromiseWithResolvers<undefined> | null;
}

export function createLineGroup(lines: PendingLine[] = []): LineGroup {
  return { lines, bytes: lines.reduce((sum, line) => sum + expectBytes(line), 0), written: null };
}

/**
 * Estimated number of bytes in a log line without candidate tools. A line in a segment file may contain
 * thousands of candidate tools, with names of up to 128 characters.
 */
const lineBytes = 2_048;
const candidateBytes = 160;

/** Estimates the length of a log line in bytes before it is rendered. */
export function expectBytes(line: PendingLine): number {
  const candidates = line.kind === 'end' ? (line.event.plan?.candidates.length ?? 0) : 0;
  return lineBytes + candidates * candidateBytes;
}

/**
 * Renders the lines of one write into the buffer and overwrites its previous content. Requests do not wait for the
 * rendering.
 */
export function writeLines({ lines }: LineGroup, into: LineBytes): void {
  into.clear();
  for (const line of lines) {
    if (line.kind === 'end') writeEndLine(line.event, line.traceparent, into);
    else writeAcceptLine(line.event, into);
  }
}
