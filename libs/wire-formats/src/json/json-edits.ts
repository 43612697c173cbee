import type { ByteEdit, ByteRange } from '@gateway/interchange';
import type { JsonEntry, JsonNode, JsonTape } from './json-tape.ts';

/**
 * Applies edits to bytes. If there are no edits, returns the same `bytes` object.
 * @throws RangeError if the edits are not ascending, overlap, or end past the last byte.
 */
export function applyEdits<Bytes extends Uint8Array>(
  bytes: Bytes,
  edits: readonly ByteEdit[],
): Bytes | Buffer {
  if (edits.length === 0) return bytes;
  assertApplicable(edits, bytes.byteLength);
  const edited = Buffer.allocUnsafe(editedLength(bytes.byteLength, edits));
  let read = 0;
  let written = 0;
  for (const edit of edits) {
    edited.set(bytes.subarray(read, edit.start), written);
    written += edit.start - read;
    written += edited.write(edit.replacement, written, 'utf8');
    read = edit.end;
  }
  edited.set(bytes.subarray(read), written);
  return edited;
}

/** Minimum length in bytes of an unchanged part that `EditedBytes.pieces` does not copy. */
const viewBytesMin = 64 * 1024;

/** Bytes with edits, which are applied only when the edited bytes are needed in one piece. */
export class EditedBytes {
  /** Edits in ascending order, with offsets into the original bytes. */
  readonly edits: readonly ByteEdit[];
  /** Length in bytes after the edits are applied. */
  readonly length: number;
  readonly #original: Uint8Array;
  #bytes: Uint8Array | undefined;

  /** @throws RangeError if the edits are not ascending, overlap, or end past the last byte. */
  constructor(original: Uint8Array, edits: readonly ByteEdit[]) {
    assertApplicable(edits, original.byteLength);
    this.#original = original;
    this.edits = edits;
    this.length = editedLength(original.byteLength, edits);
  }

  /** The edited bytes. If there are no edits, this is the object with the original bytes. */
  get bytes(): Uint8Array {
    return (this.#bytes ??= applyEdits(this.#original, this.edits));
  }

  /** The edited bytes, in one or more pieces. Long unchanged parts are views of the original bytes. */
  pieces(): readonly Uint8Array[] {
    if (this.edits.length === 0 || this.length < 2 * viewBytesMin) return [this.bytes];
    const pieces: Uint8Array[] = [];
    let short: Uint8Array[] = [];
    const flush = (): void => {
      if (short.length > 0) pieces.push(Buffer.concat(short));
      short = [];
    };
    let read = 0;
    const keepUpTo = (end: number): void => {
      const kept = this.#original.subarray(read, end);
      if (kept.length < viewBytesMin) short.push(kept);
      else {
        flush();
        pieces.push(kept);
      }
    };
    for (const { start, end, replacement } of this.edits) {
      keepUpTo(start);
      short.push(Buffer.from(replacement));
      read = end;
    }
    keepUpTo(this.#original.length);
    flush();
    return pieces;
  }
}

/** Total length in bytes after the edits are applied. */
export function editedLength(length: number, edits: readonly ByteEdit[]): number {
  let edited = length;
  for (const { start, end, replacement } of edits) edited += Buffer.byteLength(replacement) - (end - start);
  return edited;
}

function assertApplicable(edits: readonly ByteEdit[], length: number): void {
  let free = 0;
  for (const { start, end } of edits) {
    if (start < free || end < start)
      throw new RangeError(`the edit at byte ${start} overlaps another edit or is out of order`);
    free = end;
  }
  if (free > length) throw new RangeError(`an edit ends at byte ${free} of ${length}`);
}

/**
 * Removes the fields of an object that match the predicate. To remove several fields of an object, pass all
 * of them in one call.
 */
export function removeMembers(
  tape: JsonTape,
  object: JsonNode,
  isRemoved: (entry: JsonEntry) => boolean,
): ByteEdit[] {
  const entries = tape.entries(object);
  // Most tools contain no field to remove, so the function returns early.
  // The early return saves time, because the function runs for every tool in every request.
  if (!entries.some(isRemoved)) return [];
  const ranges = entries.map(({ key, value }) => ({ start: tape.start(key), end: tape.end(value) }));
  return removeListed(ranges, (index) => isRemoved(entries[index] as JsonEntry));
}

/** Removes the array elements for which `keeps` returns false. */
export function removeItems(tape: JsonTape, array: JsonNode, keeps: (index: number) => boolean): ByteEdit[] {
  const ranges = tape.items(array).map((item) => tape.range(item));
  return removeListed(ranges, (index) => !keeps(index));
}

/** Replaces a JSON value with `json`, the JSON text of the new value. */
export function replaceValue(tape: JsonTape, node: JsonNode, json: string): ByteEdit {
  return { ...tape.range(node), replacement: json };
}

/**
 * Creates one edit for each sequence of adjacent entries to remove. The edit also removes the comma before
 * the sequence. If no kept entry precedes the sequence, the edit removes the comma after the sequence. The
 * edited JSON has no extra comma, and kept entries keep the client's spacing.
 */
function removeListed(ranges: readonly ByteRange[], isRemoved: (index: number) => boolean): ByteEdit[] {
  const edits: ByteEdit[] = [];
  let keptEnd: number | undefined;
  let runStart: number | undefined;
  let runEnd = 0;
  ranges.forEach((range, index) => {
    if (isRemoved(index)) {
      runStart ??= keptEnd ?? range.start;
      runEnd = range.end;
      return;
    }
    if (runStart !== undefined) {
      edits.push({ start: runStart, end: keptEnd === undefined ? range.start : runEnd, replacement: '' });
    }
    runStart = undefined;
    keptEnd = range.end;
  });
  if (runStart !== undefined) edits.push({ start: runStart, end: runEnd, replacement: '' });
  return edits;
}

/**
 * Returns a predicate for fields that a later field with the same name overrides. The predicate matches only
 * fields with a name in `names`. The running time is linear in the size of the object.
 */
export function findShadowed(
  tape: JsonTape,
  object: JsonNode,
  names: readonly string[],
): (entry: JsonEntry) => boolean {
  const indexOf = (key: JsonNode): number => names.findIndex((name) => tape.isString(key, name));
  const judged = new Map<number, JsonNode>();
  for (const { key, value } of tape.entries(object)) judged.set(indexOf(key), value);
  return ({ key, value }) => {
    const at = indexOf(key);
    return at !== -1 && judged.get(at) !== value;
  };
}
