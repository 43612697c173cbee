/**
 * Dot product of two rows that lie within their arrays. In four sums, which a processor adds side by side, and without a
 * check of each number: this is most of what ranking a long list costs.
 */
export function dot(
  one: Float32Array,
  oneFrom: number,
  other: Float32Array,
  otherFrom: number,
  length: number,
): number {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  const whole = length - (length % 4);
  let at = 0;
  for (; at < whole; at += 4) {
    first += (one[oneFrom + at] as number) * (other[otherFrom + at] as number);
    second += (one[oneFrom + at + 1] as number) * (other[otherFrom + at + 1] as number);
    third += (one[oneFrom + at + 2] as number) * (other[otherFrom + at + 2] as number);
    fourth += (one[oneFrom + at + 3] as number) * (other[otherFrom + at + 3] as number);
  }
  for (; at < length; at += 1) first += (one[oneFrom + at] as number) * (other[otherFrom + at] as number);
  return first + second + (third + fourth);
}
