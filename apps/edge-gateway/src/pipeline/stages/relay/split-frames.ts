/** Whole frames of server-sent events, one by one: each with the empty line that ends it. */
export function splitSseFrames(bytes: Buffer): Buffer[] {
  const text = bytes.toString('latin1');
  const frames: Buffer[] = [];
  let start = 0;
  for (const { index, 0: end } of text.matchAll(/\n\r\n|\n\n|\r\r/g)) {
    frames.push(bytes.subarray(start, index + end.length));
    start = index + end.length;
  }
  if (start < bytes.length) frames.push(bytes.subarray(start));
  return frames;
}

/** The same for AWS's binary frames, whose first four bytes tell their length. */
export function splitBinaryFrames(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  let start = 0;
  while (start + 4 <= bytes.length) {
    const end = Math.min(bytes.length, start + Math.max(4, bytes.readUInt32BE(start)));
    frames.push(bytes.subarray(start, end));
    start = end;
  }
  if (start < bytes.length) frames.push(bytes.subarray(start));
  return frames;
}
