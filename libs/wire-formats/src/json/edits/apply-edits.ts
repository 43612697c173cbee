import type { ByteEdit } from '@gateway/interchange';

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
