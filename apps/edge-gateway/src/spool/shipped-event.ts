import type { RequestEventV1 } from '@gateway/contracts';

type Plan = NonNullable<RequestEventV1['plan']>;
type Candidate = Plan['candidates'][number];

/**
 * Maximum number of tool names in the cache of rendered entries. The cache stores the start of each entry. Agents
 * send the same tool names with every request.
 */
const headsMax = 20_000;
const heads = new Map<string, Uint8Array>();

const scoreSteps = 10_000;
/** Largest rank of a tool for which the text is cached. A tool list always has fewer entries. */
const ranksMax = scoreSteps - 1;
/** Number of bytes reserved for a score, a rank, a flag, and separators. */
const figuresBytesMax = 16;

/** The four-digit forms of all numbers below ten thousand, concatenated. */
const digits = Buffer.from(
  Array.from({ length: scoreSteps }, (_, number) => String(number).padStart(4, '0')).join(''),
);
const [comma, point, closing, zero] = [0x2c, 0x2e, 0x5d, 0x30] as const;

/**
 * Writes a usage event as JSON text in the form in which it is shipped (`renderShippedEvent`). In an event
 * with a hundred candidates, most bytes belong to the candidates. For the candidates, `JSON.stringify` takes
 * three times as long as writing the bytes directly.
 */
export function writeShippedEvent(event: RequestEventV1, line: LineBytes): void {
  const { plan } = event;
  // For an event without candidate tools, `JSON.stringify` returns the shipped form.
  if (plan === null || plan.candidates.length === 0) {
    line.text(JSON.stringify(event));
    return;
  }
  line.openJson({ ...event, plan: undefined });
  line.text(',"plan":');
  line.openJson({ ...plan, candidates: undefined });
  line.text(',"candidates":[');
  for (const candidate of plan.candidates) writeCandidate(candidate, line);
  // The closing bracket overwrites the comma after the last candidate.
  line.length -= 1;
  line.text(']}}');
}

/** Writes the JSON entry of a candidate tool, followed by a comma. */
function writeCandidate(candidate: Candidate, line: LineBytes): void {
  const { score, rank, forwarded, alwaysIn } = candidate;
  const head = findHead(candidate.name);
  line.reserve(head.length + figuresBytesMax);
  const { bytes } = line;
  let at = line.length;
  // A byte loop copies tool names, because a call to `copy` is slower for such short names.
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

/** Writes a score from 0 to 1, in ten-thousandths, as the shortest possible JSON number. */
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
/**
 * Maximum length of a buffer that is reused, in bytes. The lines of a typical write fit into a buffer of the
 * maximum length. If a buffer grows longer, for example for thousands of tools, it is released after use.
 */
const keptBytesMax = 4 << 20;
/** Maximum UTF-8 bytes per UTF-16 code unit. */
const bytesPerUnitMax = 3;

/**
 * A reusable byte buffer for rendering lines. Rendering a line without the buffer would join and encode
 * hundreds of strings. Each writer of lines has one buffer.
 */
export class LineBytes {
  /** The underlying buffer. Only the first `length` bytes of the buffer are valid. */
  bytes = Buffer.allocUnsafeSlow(firstBytes);
  length = 0;

  /** All bytes written since the buffer was last cleared. The returned bytes are valid only until the next write. */
  get written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
    if (this.bytes.length > keptBytesMax) this.bytes = Buffer.allocUnsafeSlow(firstBytes);
  }

  /** Ensures space for the given number of additional bytes. */
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

  /** Writes an object's JSON text without the closing brace, so that further fields can follow. */
  openJson(value: object): void {
    this.text(JSON.stringify(value));
    this.length -= 1;
  }
}
