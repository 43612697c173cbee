/** Tests the error registry. The tests provoke every error, and compare the response body with the registry. */
import { errorRegistry, GatewayError, type ErrorCode } from '@gateway/errors';
import { sharedStack } from '@gateway/testing';
import { uuidv7 } from 'uuidv7';
import { renderError } from '../../apps/edge-gateway/src/request/http-response.ts';
import { openErrorWorld, provocations, renderedOnly } from './error-provocations.fixture.ts';
import { send } from './http.fixture.ts';
import type { InterfaceWorld } from './interface.fixture.ts';

const { baseUrl } = sharedStack();
const codes = Object.keys(errorRegistry) as ErrorCode[];
let world: InterfaceWorld;
let headings: ReadonlySet<string>;

beforeAll(async () => {
  world = await openErrorWorld();
  const page = await send(baseUrl, { path: '/docs/operations/failure-modes' });
  headings = new Set([...page.text.matchAll(/<h[1-6] id="([^"]+)"/g)].map(([, id = '']) => id));
});
afterAll(() => world.close());

/** The fields of an error body that the registry determines, in the chat-completions and messages formats. */
interface ErrorBody {
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly docs_url: string;
    readonly code?: string;
    readonly details?: { readonly error_code: string };
  };
}

/** Compares a response with the error registry and with the documentation page that the response links to. */
function expectRegistered(code: ErrorCode, answer: { status: number; text: string }): void {
  const { status, type } = errorRegistry[code];
  expect({ code, status: answer.status, text: answer.text }).toMatchObject({ code, status });
  const { error } = JSON.parse(answer.text) as ErrorBody;
  expect(error.code ?? error.details?.error_code).toBe(code);
  expect(error.type).toBe(type);
  expect(error.docs_url).toBe(`/docs/operations/failure-modes#${code}`);
  expect(headings).toContain(error.docs_url.split('#')[1]);
  // An error text is a sentence without validator jargon or undefined values.
  expect(error.message).toMatch(/^\S.*[.?]$/s);
  expect(error.message).not.toMatch(/undefined|\[object|expected string|Invalid input|Too (small|big)|>=|<=/);
}

const provoked = codes.filter((code) => provocations[code] !== undefined);
const rendered = codes.filter((code) => renderedOnly[code] !== undefined);

it('every error of the registry is either provoked or rendered with a reason', () => {
  expect([...provoked, ...rendered].sort()).toEqual([...codes].sort());
});

it.each(provoked)(
  '%s: a request that causes the error gets the status, type, code and page of the registry',
  async (code) => {
    const answer = await provocations[code]!(world);
    expectRegistered(code, answer);
    if (errorRegistry[code].retryable) expect(answer.headers['x-should-retry']).toBe('true');
  },
  60_000,
);

it.each(rendered.map((code) => [code, renderedOnly[code]] as const))(
  '%s is rendered without a request, because %s',
  (code) => {
    const { status, body } = renderError(new GatewayError(code), uuidv7(), 'chat-completions');
    expectRegistered(code, { status, text: body });
  },
);

afterAll(() => {
  const counts = `${provoked.length} provoked on the running stack, ${rendered.length} rendered`;
  process.stdout.write(`${codes.length} errors in the registry: ${counts}\n`);
});
