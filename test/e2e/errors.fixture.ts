import { z } from 'zod';
import type { Answer } from './http.fixture.ts';

const errorBody = z.strictObject({
  error: z.strictObject({
    message: z.string().min(1),
    type: z.string(),
    code: z.string().nullable(),
    param: z.string().nullable(),
    source: z.enum(['gateway', 'provider']),
    docs_url: z.string(),
  }),
  request_id: z.uuidv7(),
});

export interface ExpectedError {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly param?: string | null;
}

/**
 * Expects the given status and an error body in the common format, with the request id in both header and body.
 */
export function expectError(answer: Answer, expected: ExpectedError): z.output<typeof errorBody> {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: expected.status });
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  const body = errorBody.parse(answer.json());
  const { type, code, param, source } = body.error;
  expect({ type, code, source }).toEqual({ type: expected.type, code: expected.code, source: 'gateway' });
  expect(body.error.docs_url).toBe(`/docs/operations/failure-modes#${expected.code}`);
  if (expected.param !== undefined) expect(param).toBe(expected.param);
  expect(answer.headers['x-request-id']).toBe(body.request_id);
  return body;
}
