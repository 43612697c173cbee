import { parseRetryAfter } from './failure.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

describe('the pause that a provider requests', () => {
  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '120', 'retry-after': '1' }, 120],
    [{ 'retry-after': 'Fri, 20 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': '86400' }, 600_000],
    [{ 'retry-after': ['3', '4'] }, 3_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('is parsed from the headers %j as %s ms', (headers, expected) => {
    expect(parseRetryAfter(headers, now)).toBe(expected);
  });
});
