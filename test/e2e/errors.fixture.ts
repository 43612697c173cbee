import { errorRegistry, type ErrorCode } from '@gateway/errors';
import { z } from 'zod';
import { send, type Answer } from './http.fixture.ts';

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

/** The ids of the headings on the documentation page of the errors. */
export async function readErrorHeadings(baseUrl: string): Promise<ReadonlySet<string>> {
  const page = await send(baseUrl, { path: '/docs/operations/failure-modes' });
  return new Set([...page.text.matchAll(/<h[1-6] id="([^"]+)"/g)].map(([, id = '']) => id));
}

/** The fields of an error body that the registry determines, in the chat-completions and messages formats. */
interface RegisteredBody {
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly docs_url: string;
    readonly code?: string;
    readonly details?: { readonly error_code: string };
  };
}

/** Compares a response with the error registry, and with the headings of the page that the response links to. */
export function expectRegistered(
  code: ErrorCode,
  answer: Pick<Answer, 'status' | 'text'>,
  headings: ReadonlySet<string>,
): void {
  const { status, type } = errorRegistry[code];
  expect({ code, status: answer.status, text: answer.text }).toMatchObject({ code, status });
  const { error } = JSON.parse(answer.text) as RegisteredBody;
  expect(error.code ?? error.details?.error_code).toBe(code);
  expect(error.type).toBe(type);
  expect(error.docs_url).toBe(`/docs/operations/failure-modes#${code}`);
  expect(headings).toContain(error.docs_url.split('#')[1]);
  // An error text is a sentence without validator jargon or undefined values.
  expect(error.message).toMatch(/^\S.*[.?]$/s);
  expect(error.message).not.toMatch(/undefined|\[object|expected string|Invalid input|Too (small|big)|>=|<=/);
}
