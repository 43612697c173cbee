import type { RequestEventV1 } from '@gateway/contracts';

type Plan = NonNullable<RequestEventV1['plan']>;
type Candidate = Plan['candidates'][number];

/** Names of tools come again with every request of an agent: so many are remembered as a tuple begins with them. */
const headsMax = 20_000;
const heads = new Map<string, Uint8Array>();

const scoreSteps = 10_000;
/** Longer than any list. */
const ranksMax = scoreSteps - 1;
/** A score, a rank, a flag, and what stands between them. */
const figuresBytesMax = 16;

/** The four digits of every number below ten thousand, one behind the other. */
const digits = Buffer.from(
  Array.from({ length: scoreSteps }, (_, number) => String(number).padStart(4, '0')).join(''),
);
const [comma, point, closing, zero] = [0x2c, 0x2e, 0x5d, 0x30] as const;

/**
 * An event as it is shipped (`renderShippedEvent`), as JSON text. A hundred candidates are most of an event, and
 * `JSON.stringify` takes three times as long for them as writing their bytes.
 */
export function writeShippedEvent(event: RequestEventV1, line: LineBytes): void {
  const { plan } = event;
  // An event without candidates is shipped as it is.
  if (plan === null || plan.candidates.length === 0) {
    line.text(JSON.stringify(event));
    return;
  }
  line.openJson({ ...event, plan: undefined });
  line.text(',"plan":');
  line.openJson({ ...plan, candidates: undefined });
  line.text(',"candidates":[');
  for (const candidate of plan.candidates) writeCandidate(candidate, line);
  // In place of the last comma.
  line.length -= 1;
  line.text(']}}');
}

/** The tuple, and the comma before the next one. */
function writeCandidate(candidate: Candidate, line: LineBytes): void {
  const { score, rank, forwarded, alwaysIn } = candidate;
  const head = findHead(candidate.name);
  line.reserve(head.length + figuresBytesMax);
  const { bytes } = line;
  let at = line.length;
  // A tool's name is short: copying it byte by byte takes less than a call that copies.
  for (let from = 0; from < head.length; from += 1) bytes[at++] = head[from] as number;
  line.length = at;
  const steps = Math.round(score * scoreSteps);
  if (alwaysIn !== null || !(steps >= 0 && steps <= scoreSteps) || !(rank >= 0 && rank <= ranksMax)) {
    const reason = alwaysIn === null ? '' : `,${JSON.stringify(alwaysIn)}`;
    line.text(`${JSON.stringify(steps / scoreSteps)},${rank},${forwarded ? 1 : 0}${reason}],`);
    return;
  }
  at = writeScore(steps, bytes, at);
  bytes[at++] = comma;
  at = writeRank(rank, bytes, at);
  bytes[at++] = comma;
  bytes[at++] = forwarded ? zero + 1 : zero;
  bytes[at++] = closing;
  bytes[at++] = comma;
  line.length = at;
}

function findHead(name: string): Uint8Array {
  const known = heads.get(name);
  if (known !== undefined) return known;
  if (heads.size >= headsMax) heads.clear();
  const head = Buffer.from(`[${JSON.stringify(name)},`);
  heads.set(name, head);
  return head;
}

/** From 0 to 1 in ten thousandths, as JSON has it: no more digits than it takes. */
function writeScore(steps: number, bytes: Buffer, start: number): number {
  let at = start;
  if (steps === 0 || steps === scoreSteps) {
    bytes[at++] = steps === 0 ? zero : zero + 1;
    return at;
  }
  bytes[at++] = zero;
  bytes[at++] = point;
  let last = 4 * steps + 3;
  while (digits[last] === zero) last -= 1;
  for (let from = 4 * steps; from <= last; from += 1) bytes[at++] = digits[from] as number;
  return at;
}

function writeRank(rank: number, bytes: Buffer, start: number): number {
  let at = start;
  const first = rank < 10 ? 3 : rank < 100 ? 2 : rank < 1_000 ? 1 : 0;
  for (let place = first; place < 4; place += 1) bytes[at++] = digits[4 * rank + place] as number;
  return at;
}

const firstBytes = 64 * 1024;
/** Longer than a group of lines as a rule; what one of thousands of tools needed is not kept for good. */
const keptBytesMax = 4 << 20;
/** Of a UTF-16 code unit in UTF-8. */
const bytesPerUnitMax = 3;

/**
 * Where lines are put together, as the bytes that a segment holds. Strings of them would be made of hundreds of pieces, and
 * flattened and encoded when they are written. One place serves a writer for good.
 */
export class LineBytes {
  /** What is written stands in the first `length` of them. */
  bytes = Buffer.allocUnsafeSlow(firstBytes);
  length = 0;

  /** All that was written since it was cleared; good until something else is. */
  get written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
    if (this.bytes.length > keptBytesMax) this.bytes = Buffer.allocUnsafeSlow(firstBytes);
  }

  /** Makes room for so many more bytes. */
  reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length));
    this.written.copy(larger);
    this.bytes = larger;
  }

  text(text: string): void {
    this.reserve(text.length * bytesPerUnitMax);
    this.length += this.bytes.write(text, this.length, 'utf8');
  }

  /** An object's JSON text without its last brace: further members follow. */
  openJson(value: object): void {
    this.text(JSON.stringify(value));
    this.length -= 1;
  }
}
