import { parseReference, renderBlockReference, renderRunReference } from './references.ts';

const label = '"'.repeat(40);

it.each([
  [
    renderRunReference('#1', '#9999999', 9_999_999),
    { kind: 'run', first: '#1', last: '#9999999', count: 9_999_999 },
  ],
  [renderRunReference(label, label, 1_999_999), { kind: 'run', first: label, last: label, count: 1_999_999 }],
  [renderRunReference(label, label, 1), { kind: 'run', first: label, last: label, count: 1 }],
  [renderBlockReference(label, 1_999_999), { kind: 'block', label, place: 1_999_999 }],
])('parses the reference %j with labels of any length', (line, reference) => {
  expect(parseReference(line ?? '')).toEqual(reference);
});

it('rejects, in linear time, a long line that starts like a reference', () => {
  const before = process.cpuUsage();
  expect(parseReference(`[1 lines as above, from "${'" to "'.repeat(40_000)}`)).toBeUndefined();
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
});
