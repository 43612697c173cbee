import { GatewayError } from '@gateway/errors';
import { z } from 'zod';
import { parseQuery } from './validate-input.ts';

const schema = z.strictObject({
  limit: z.int().min(1).max(200),
  share: z.number().max(0.9999).default(0.5),
  name: z.string().min(1).max(3).default('a'),
  status: z.enum(['ok', 'error']).default('ok'),
  from: z.iso.datetime().optional(),
  tools: z.array(z.string()).max(1).default([]),
  code: z.string().regex(/^a+$/, 'It has only the letter a.').optional(),
});

function messageOf(input: unknown): string {
  try {
    parseQuery(schema, input);
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
  }
  throw new Error('the input is valid');
}

test.each([
  [{}, 'The parameter "limit" is required.'],
  [{ limt: 1 }, 'The parameter "limit" is required. The parameter "limt" is unknown. Did you mean "limit"?'],
  [{ limit: 0 }, 'The parameter "limit" must be at least 1.'],
  [{ limit: 9999 }, 'The parameter "limit" must be at most 200.'],
  [{ limit: 'a' }, 'The parameter "limit" must be a number.'],
  [{ limit: 1.5 }, 'The parameter "limit" must be a whole number.'],
  [{ limit: 1, share: 95 }, 'The parameter "share" must be at most 0.9999 (95% is 0.95).'],
  [{ limit: 1, name: '' }, 'The parameter "name" must not be empty.'],
  [{ limit: 1, name: 'long' }, 'The parameter "name" must have at most 3 characters.'],
  [{ limit: 1, tools: ['a', 'b'] }, 'The parameter "tools" must have at most 1 entry.'],
  [{ limit: 1, status: 'failed' }, 'The parameter "status" must be one of "ok", "error".'],
  [
    { limit: 1, from: 'yesterday' },
    'The parameter "from" must be a date and time in RFC 3339 form, such as 2026-01-31T12:00:00Z.',
  ],
  [{ limit: 1, code: 'b' }, 'The parameter "code" is not valid: It has only the letter a.'],
  [
    { limit: 1, other: 1 },
    'The parameter "other" is unknown. Use "limit", "share", "name", "status", "from", "tools" or "code".',
  ],
  ['text', 'The body must be an object.'],
])('%j: %s', (input, message) => {
  expect(messageOf(input)).toBe(message);
});
