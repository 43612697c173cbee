import { chooseHeldBytesMax } from './held-bytes-default.ts';

const mebibyte = 1024 * 1024;

describe('the default for the number of bytes that requests may hold in memory', () => {
  it.each([
    ['a quarter of the container’s memory', 1024 * mebibyte, 64_000 * mebibyte, 256 * mebibyte],
    ['a quarter of the machine’s memory without a container', 0, 1024 * mebibyte, 256 * mebibyte],
    ['the machine’s memory, if the limit is meaningless', 2 ** 62, 1024 * mebibyte, 256 * mebibyte],
    ['at most 512 MiB', 16_000 * mebibyte, 64_000 * mebibyte, 512 * mebibyte],
    ['at least 64 MiB', 100 * mebibyte, 64_000 * mebibyte, 64 * mebibyte],
  ])('is %s', (_, constrained, total, expected) => {
    expect(chooseHeldBytesMax(constrained, total)).toBe(expected);
  });
});
