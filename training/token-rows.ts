/**
 * Writes lists of integers to a single file that numpy can read. The file contains an int32 count, the offset
 * of each row (count + 1 numbers), and all rows in sequence.
 */
export function packRows(rows: readonly (readonly number[])[]): Uint8Array {
  const starts = [0];
  for (const row of rows) starts.push((starts.at(-1) ?? 0) + row.length);
  const packed = new Int32Array(1 + starts.length + (starts.at(-1) ?? 0));
  packed[0] = rows.length;
  packed.set(starts, 1);
  let at = 1 + starts.length;
  for (const row of rows) {
    packed.set(row, at);
    at += row.length;
  }
  return new Uint8Array(packed.buffer);
}
