import { analyticsQuery } from './analytics.ts';
import { requestLogQuery, sessionsQuery } from './usage.ts';
import { createApiKeyBody, toolListBody } from './api-key.ts';
import { updateAccountBody } from './account.ts';
import { updatePreferencesBody } from './routing-preferences.ts';

describe.each(['a\0b', 'a\ud800b'])('a string that Postgres cannot store (%j)', (text) => {
  it.each([
    ['the name of a key', createApiKeyBody, { name: text }],
    ['the name of a tool', toolListBody, { denied_tools: [text] }],
    ['the name of an account', updateAccountBody, { name: text }],
    ['the fallback model', updatePreferencesBody, { fallbacks: [`sandbox/${text}`] }],
    ['the session in a filter', requestLogQuery, { session_id: text }],
    ['the text of a search', requestLogQuery, { search: text }],
    ['the model in a filter', analyticsQuery, { model: text }],
  ])('a string that Postgres cannot store is rejected as %s', (_what, schema, input) => {
    expect(schema.safeParse(input).success).toBe(false);
  });
});

it.each([
  ['0000-06-01T00:00:00Z', false],
  ['0001-01-01T00:30:00+01:00', false],
  ['0001-01-01T00:00:00Z', true],
  ['9999-12-31T23:59:59Z', true],
  ['9999-12-31T23:59:59-01:00', false],
])('a timestamp is accepted only with a year from 1 to 9999: %s', (from, isGood) => {
  expect(requestLogQuery.safeParse({ from }).success).toBe(isGood);
  expect(sessionsQuery.safeParse({ to: from }).success).toBe(isGood);
});
