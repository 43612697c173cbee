import type { ApiKey } from '../../api/keys.ts';
import {
  emptyFields,
  parseFields,
  renderCreation,
  renderUpdate,
  changeToolNames,
  parseToolNames,
  renderToolNames,
} from './key-fields.ts';

const apiKey = {
  name: 'agent',
  rate_limit_rpm: 600,
  daily_token_budget: 1_000,
  weekly_token_budget: 5_000,
  k_target_override: null,
  expires_at: '2020-01-01T00:00:00.000Z',
  scopes: ['inference', 'manage'] as ApiKey['scopes'],
  inherited: ['rate_limit_rpm', 'weekly_token_budget'],
};

describe('the form fields of an API key', () => {
  it('shows inherited limits as empty', () => {
    expect(parseFields(apiKey)).toMatchObject({
      rate_limit_rpm: '',
      daily_token_budget: 1_000,
      weekly_token_budget: '',
    });
  });

  it('sends null for empty limits and omits an unchanged expiry', () => {
    const before = parseFields(apiKey);
    expect(renderUpdate({ ...before, daily_token_budget: '' }, before)).toEqual({
      rate_limit_rpm: null,
      daily_token_budget: null,
      weekly_token_budget: null,
      k_target_override: null,
      scopes: ['inference', 'manage'],
    });
  });

  it('creates keys for inference unless other scopes are chosen', () => {
    expect(renderCreation({ ...emptyFields, name: 'agent' }).scopes).toEqual(['inference']);
    const chosen = { ...emptyFields, name: 'script', scopes: ['read' as const] };
    expect(renderCreation(chosen).scopes).toEqual(['read']);
  });

  it('reads an expiry in the reader’s time zone', () => {
    const { expires_at } = renderCreation({ ...emptyFields, name: 'agent', expires: '2030-06-01T12:00' });
    expect(new Date(expires_at ?? '').getTime()).toBe(new Date(2030, 5, 1, 12).getTime());
    expect(renderCreation({ ...emptyFields, name: 'agent' }).expires_at).toBeUndefined();
  });
});

test('parses one tool name per line without duplicates, and an empty text clears the list', () => {
  expect(parseToolNames(' a\n\nb\na ')).toEqual(['a', 'b']);
  expect(parseToolNames('\n ')).toBeNull();
});

test('an unchanged tool list stays the same, even if text cannot represent the list', () => {
  for (const list of [null, [], [' padded '], ['two\nlines'], ['a', 'b']])
    expect(changeToolNames(list, renderToolNames(list))).toEqual(list);
  expect(changeToolNames(['a'], '')).toBeNull();
  expect(changeToolNames([], 'a')).toEqual(['a']);
});
