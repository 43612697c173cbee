import type { ByteEdit, ByteRange } from '@gateway/interchange';
import type { JsonEntry, JsonNode, JsonTape } from '@gateway/wire-formats';
import type { ToolDefinitionText } from './tool-definition.ts';

const comma = 0x2c;
const colon = 0x3a;

/**
 * If there are more edits than this number, a single edit may replace the whole range. The edits stay separate
 * if their estimated size (`editBytes` per edit) is less than the size of the text between them.
 */
const editsMax = 64;
const editBytes = 48;

/**
 * The remaining byte ranges of the tool definition, in order. The kept byte ranges include no dropped fields, no
 * removed parts of strings, and no whitespace between tokens.
 */
export function keptRanges(
  { tape, schema, isSchemaOnly }: ToolDefinitionText,
  dropped: ReadonlySet<JsonNode>,
  cuts: ReadonlyMap<JsonNode, readonly ByteRange[]>,
): ByteRange[] {
  const kept = new KeptRanges(tape, dropped, cuts);
  if (!isSchemaOnly) kept.keepValue(tape.root);
  else {
    kept.keep(0, schema === undefined ? tape.bytes.length : tape.start(schema));
    if (schema !== undefined) {
      kept.keepValue(schema);
      kept.keep(tape.end(schema), tape.bytes.length);
    }
  }
  return kept.ranges;
}

/** Returns the edits that remove all bytes outside `kept`. */
export function editsLeaving(bytes: Buffer, kept: readonly ByteRange[]): ByteEdit[] {
  const edits: ByteEdit[] = [];
  let at = 0;
  for (const { start, end } of kept) {
    if (start > at) edits.push({ start: at, end: start, replacement: '' });
    at = end;
  }
  if (at < bytes.length) edits.push({ start: at, end: bytes.length, replacement: '' });
  return edits.length > editsMax ? mergeEdits(bytes, edits) : edits;
}

function mergeEdits(bytes: Buffer, edits: readonly ByteEdit[]): ByteEdit[] {
  const start = edits[0]?.start ?? 0;
  const end = edits.at(-1)?.end ?? start;
  const removed = edits.reduce((sum, edit) => sum + edit.end - edit.start, 0);
  if (end - start - removed > edits.length * editBytes) return [...edits];
  const pieces: string[] = [];
  let at = start;
  for (const edit of edits) {
    pieces.push(bytes.toString('utf8', at, edit.start));
    at = edit.end;
  }
  return [{ start, end, replacement: pieces.join('') }];
}

class KeptRanges {
  readonly ranges: { start: number; end: number }[] = [];
  readonly #tape: JsonTape;
  readonly #dropped: ReadonlySet<JsonNode>;
  readonly #cuts: ReadonlyMap<JsonNode, readonly ByteRange[]>;

  constructor(
    tape: JsonTape,
    dropped: ReadonlySet<JsonNode>,
    cuts: ReadonlyMap<JsonNode, readonly ByteRange[]>,
  ) {
    this.#tape = tape;
    this.#dropped = dropped;
    this.#cuts = cuts;
  }

  keep(start: number, end: number): void {
    const last = this.ranges[this.ranges.length - 1];
    if (last?.end === start) last.end = end;
    else if (end > start) this.ranges.push({ start, end });
  }

  /**
   * Keeps one JSON value of the tool definition. The recursion depth is limited, because the scan limits how
   * deeply the JSON is nested.
   */
  keepValue(node: JsonNode): void {
    const tape = this.#tape;
    const kind = tape.kind(node);
    const { start, end } = tape.range(node);
    if (kind !== 'object' && kind !== 'array') {
      this.#keepAround(start, end, this.#cuts.get(node) ?? []);
      return;
    }
    this.keep(start, start + 1);
    if (kind === 'array') this.#keepItems(tape.items(node));
    else this.#keepEntries(tape.entries(node).filter(({ key }) => !this.#dropped.has(key)));
    this.keep(end - 1, end);
  }

  #keepAround(start: number, end: number, cuts: readonly ByteRange[]): void {
    let at = start;
    for (const cut of [...cuts].sort((one, other) => one.start - other.start)) {
      this.keep(at, cut.start);
      at = cut.end;
    }
    this.keep(at, end);
  }

  #keepItems(items: readonly JsonNode[]): void {
    items.forEach((item, at) => {
      if (at > 0) this.#keepMarkBefore(this.#tape.start(item), comma);
      this.keepValue(item);
    });
  }

  #keepEntries(entries: readonly JsonEntry[]): void {
    entries.forEach(({ key, value }, at) => {
      if (at > 0) this.#keepMarkBefore(this.#tape.start(key), comma);
      this.keep(this.#tape.start(key), this.#tape.end(key));
      this.#keepMarkBefore(this.#tape.start(value), colon);
      this.keepValue(value);
    });
  }

  /**
   * Keeps the comma or colon that precedes a token. Only whitespace is allowed between the comma or colon and the
   * token.
   */
  #keepMarkBefore(start: number, mark: number): void {
    let at = start - 1;
    while (at > 0 && this.#tape.bytes[at] !== mark) at -= 1;
    this.keep(at, at + 1);
  }
}
