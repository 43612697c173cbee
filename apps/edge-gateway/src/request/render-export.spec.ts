import type { RequestLogEntry } from '@gateway/contracts';
import { requestColumns as columns } from '../routes/requests/requests.route.ts';
import { renderHead, renderLine } from './render-export.ts';

const entry = {
  ...{ id: 'a', session_id: 'one, "two"', stream: false, cost_usd: 0.5, error_code: null },
  ...{ client_request_id: '=HYPERLINK("x")', model: '-m', ms: { total: 12.5, first_byte: null } },
} as unknown as RequestLogEntry;

test('a CSV record has a field for each column, and fields with commas or quotes are quoted', () => {
  const line = renderLine('csv', entry, columns);
  expect(line.endsWith('\r\n')).toBe(true);
  expect(line.startsWith('a,,"one, ""two""",')).toBe(true);
  expect(line).toContain(',0.5,');
  expect(line).toContain(',12.5,,');
  const plain = renderLine('csv', { ...entry, session_id: 's', client_request_id: 'c' }, columns);
  expect(plain.trimEnd().split(',')).toHaveLength(columns.length);
});

test('spreadsheets do not interpret any exported field as a formula', () => {
  const line = renderLine('csv', entry, columns);
  expect(line).toContain(`"'=HYPERLINK(""x"")"`);
  expect(line).toContain(`,'-m,`);
});

test('an object is one field of JSON, and the fields of a missing parent object are empty', () => {
  const event = { id: 'a', changes: { name: { from: 'x', to: null } }, target: null };
  const line = renderLine('csv', event, ['id', 'changes', 'target.id']);
  expect(line).toBe('a,"{""name"":{""from"":""x"",""to"":null}}",\r\n');
  expect(renderHead('csv', ['id', 'target.id'])).toBe('id,target.id\r\n');
});

test('a JSON line of an export equals the entry in the list response', () => {
  expect(renderHead('jsonl', columns)).toBe('');
  expect(JSON.parse(renderLine('jsonl', entry, columns))).toEqual(entry);
});
