import type { RequestLogEntry } from '@gateway/contracts';
import { renderHead, renderLine } from './export.ts';

const entry = {
  ...{ id: 'a', session_id: 'one, "two"', stream: false, cost_usd: 0.5, error_code: null },
  ...{ client_request_id: '=HYPERLINK("x")', model: '-m', ms: { total: 12.5, first_byte: null } },
} as unknown as RequestLogEntry;
const columns = renderHead('csv').trim().split(',');

test('a CSV record has a field for each column, and fields with commas or quotes are quoted', () => {
  const line = renderLine('csv', entry);
  expect(line.endsWith('\r\n')).toBe(true);
  expect(line.startsWith('a,,"one, ""two""",')).toBe(true);
  expect(line).toContain(',0.5,');
  expect(line).toContain(',12.5,,');
  const plain = renderLine('csv', { ...entry, session_id: 's', client_request_id: 'c' });
  expect(plain.trimEnd().split(',')).toHaveLength(columns.length);
});

test('spreadsheets do not interpret any field as a formula', () => {
  const line = renderLine('csv', entry);
  expect(line).toContain(`"'=HYPERLINK(""x"")"`);
  expect(line).toContain(`,'-m,`);
});

test('a JSON line equals the entry in the list', () => {
  expect(renderHead('jsonl')).toBe('');
  expect(JSON.parse(renderLine('jsonl', entry))).toEqual(entry);
});
