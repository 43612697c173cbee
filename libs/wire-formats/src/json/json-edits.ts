import type { ByteEdit, ByteRange } from '@gateway/interchange';
import type { JsonEntry, JsonNode, JsonTape } from './json-tape.ts';

/**
 * The bytes with the edits made. No edits: the very same object.
 *
 * @throws RangeError when the edits are not ascending, overlap, or leave the bytes.
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

/** How long the bytes are after the edits. */
export function editedLength(length: number, edits: readonly ByteEdit[]): number {
  let edited = length;
  for (const { start, end, replacement } of edits) edited += Buffer.byteLength(replacement) - (end - start);
  return edited;
}

function assertApplicable(edits: readonly ByteEdit[], length: number): void {
  let free = 0;
  for (const { start, end } of edits) {
    if (start < free || end < start)
      throw new RangeError(`the edit at ${start} overlaps, or is out of order`);
    free = end;
  }
  if (free > length) throw new RangeError(`an edit ends at ${free}, past the ${length} bytes`);
}

/** Takes a member out of an object, every repetition of it too. No such member: no edits. */
export function removeMember(tape: JsonTape, object: JsonNode, name: string): ByteEdit[] {
  return removeMembers(tape, object, ({ key }) => tape.isString(key, name));
}

/** Takes all members out that the predicate names. Removals from one object must be made in one call. */
export function removeMembers(
  tape: JsonTape,
  object: JsonNode,
  isRemoved: (entry: JsonEntry) => boolean,
): ByteEdit[] {
  const entries = tape.entries(object);
  // The usual case, for every tool of every request.
  if (!entries.some(isRemoved)) return [];
  const ranges = entries.map(({ key, value }) => ({ start: tape.start(key), end: tape.end(value) }));
  return removeListed(ranges, (index) => isRemoved(entries[index] as JsonEntry));
}

/** Takes those elements out of an array that the predicate does not keep. */
export function removeItems(tape: JsonTape, array: JsonNode, keeps: (index: number) => boolean): ByteEdit[] {
  const ranges = tape.items(array).map((item) => tape.range(item));
  return removeListed(ranges, (index) => !keeps(index));
}

/** Puts another value in a value's place. `json` is its text. */
export function replaceValue(tape: JsonTape, node: JsonNode, json: string): ByteEdit {
  return { ...tape.range(node), replacement: json };
}

/**
 * One edit a run. A run goes with the comma before it, and, where nothing kept stands before it, with the comma after it;
 * so that no comma is left over and the spacing around what stays is the client's own.
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

/** Tells the members of those names that a later one of the same name overrules. Linear in the object, for all of them. */
export function findShadowed(
  tape: JsonTape,
  object: JsonNode,
  names: readonly string[],
): (entry: JsonEntry) => boolean {
  const judged = names.map((name) => tape.get(object, name));
  return ({ key, value }) => {
    const at = names.findIndex((candidate) => tape.isString(key, candidate));
    return at !== -1 && judged[at] !== value;
  };
}
