/** Splits bytes into chunks of the given size. */
export function cutEvery(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    Buffer.from(bytes.subarray(index * size, (index + 1) * size)),
  );
}

/**
 * Splits the bytes before every UTF-8 continuation byte, so that every non-ASCII character is split over
 * several chunks.
 */
export function cutInsideCharacters(bytes: Buffer): Buffer[] {
  const cuts = [...bytes.keys()].filter((at) => ((bytes[at] ?? 0) & 0b1100_0000) === 0b1000_0000);
  return [0, ...cuts].map((start, index) => Buffer.from(bytes.subarray(start, cuts[index] ?? bytes.length)));
}
