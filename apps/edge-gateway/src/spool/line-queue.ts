import type { RequestAcceptedV1, RequestEventV1 } from '@gateway/contracts';
import type { LineBytes } from './line-bytes.ts';
import { writeAcceptLine, writeEndLine } from './spool-line.ts';

/** A line waiting to be written, for a request that is accepted or whose accept line is carried forward. */
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

/** The lines of one write. Those who wait for it share one promise. */
export interface LineGroup {
  readonly lines: PendingLine[];
  /** About as many as they will be, and rather more. */
  bytes: number;
  written: PromiseWithResolvers<undefined> | null;
}

export function createLineGroup(lines: PendingLine[] = []): LineGroup {
  return { lines, bytes: lines.reduce((sum, line) => sum + expectBytes(line), 0), written: null };
}

/** Beside candidates, of which a line may have thousands, with names of up to 128 characters. */
const lineBytes = 2_048;
const candidateBytes = 160;

/** How long a line will be, before it is rendered. */
export function expectBytes(line: PendingLine): number {
  const candidates = line.kind === 'end' ? (line.event.plan?.candidates.length ?? 0) : 0;
  return lineBytes + candidates * candidateBytes;
}

/** Puts the lines of a group together, in place of what was there. They are rendered now, off the requests' way. */
export function writeLines({ lines }: LineGroup, into: LineBytes): void {
  into.clear();
  for (const line of lines) {
    if (line.kind === 'end') writeEndLine(line.event, line.traceparent, into);
    else writeAcceptLine(line.event, into);
  }
}
