import type { RequestDetail } from '@gateway/contracts';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import {
  connectEachFormat,
  createTestAccount,
  createTestKey,
  requestIdOf,
  waitForRow,
} from './account.fixture.ts';
import { send, type Answer } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { scriptResponses, type Members } from './responses-provider.fixture.ts';

/** An account with planning for Responses API requests, and the account's provider. */
export interface PlannedResponses {
  /** The provider, which is available once `beforeAll` has run. */
  readonly provider: () => ReplayProvider;
  readonly prefer: (plan: boolean) => Promise<void>;
  /** Makes the provider return the responses in order. */
  readonly script: (...responses: readonly Members[]) => void;
  readonly ask: (body: Members) => Promise<Answer>;
  /** The bodies of all upstream requests of the current test. */
  readonly bodies: () => string[];
  readonly sent: (at: number) => Members;
  readonly rowOf: (answer: Answer) => Promise<RequestDetail>;
}

/** Prepares the account and the provider before the tests of a file. Resets the provider after each test. */
export function usePlannedResponses(): PlannedResponses {
  const stack = sharedStack();
  const { baseUrl } = stack;
  let provider: ReplayProvider;
  let key: string;

  async function prefer(plan: boolean): Promise<void> {
    const path = '/v1/account/routing/preferences';
    const answer = await send(baseUrl, { method: 'PUT', path, key, body: { responses: { plan } } });
    expect(answer.status).toBe(200);
  }

  beforeAll(async () => {
    provider = await startProvider();
    const { apiKey } = await createTestAccount(stack);
    key = (await createTestKey(baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
    await connectEachFormat(baseUrl, key, provider.url);
    await prefer(true);
  });
  afterEach(() => provider.reset());
  afterAll(() => provider.close());

  const bodies = (): string[] => provider.requests.map(({ body }) => body.toString('utf8'));
  return {
    provider: () => provider,
    prefer,
    script: (...responses) => scriptResponses(provider, responses),
    ask: (body) => send(baseUrl, { path: '/v1/responses', key, body }),
    bodies,
    sent: (at) => JSON.parse(bodies()[at]!) as Members,
    rowOf: (answer) => waitForRow(baseUrl, key, requestIdOf(answer)),
  };
}

/** Returns the response object and, for a stream, all events. The last event contains the whole response. */
export function readAnswer(answer: Answer, stream: boolean): { response: Members; events: Members[] } {
  if (!stream) return { response: answer.json() as Members, events: [] };
  const events = [...answer.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Members);
  return { response: events.at(-1)!['response'] as Members, events };
}

export const outputOf = (response: Members): Members[] => response['output'] as Members[];
