/**
 * Tests the errors of the registry that need other settings or failed services. The tests start their own stack,
 * provoke each error, and compare the response body with the registry.
 */
import type { ErrorCode } from '@gateway/errors';
import type { ReplayProvider } from '@gateway/testing';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { startChargingStack, urls, type ChargingStack } from '../integration/billing/stripe.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import { connectProvider, createTestAccount } from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import type { outageCodes } from './error-provocations.fixture.ts';
import { expectRegistered, readErrorHeadings } from './errors.fixture.ts';
import { postChat, send, type Answer } from './http.fixture.ts';
import { newPassword } from './log-in.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

const undo: Undo[] = [];
let charging: ChargingStack;
let provider: ReplayProvider;
let headings: ReadonlySet<string>;

beforeAll(async () => {
  charging = await startChargingStack(undo, {
    replicas: { 'edge-gateway': 2, account: 2 },
    env: {
      'account-2': { SIGN_UP: 'closed' },
      // Edge 2 serves one request at a time, and queues none.
      'edge-gateway-2': { REQUESTS_IN_FLIGHT_MAX: '1', REQUESTS_QUEUED_MAX: '0', ACCOUNT_SHARE_MAX: '1' },
    },
  });
  provider = await startProvider();
  undo.push(() => provider.close());
  headings = await readErrorHeadings(charging.stack.baseUrl);
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

const hello = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] };

/** Creates a user with a payment. Repeats the call if the process of the account service has closed the sign-up. */
const pay = () => eventually(() => charging.pay().catch(() => undefined));

async function openAccount(): Promise<string> {
  const { apiKey } = await createTestAccount(charging.stack);
  const body = { provider: 'openai', api_key: 'upstream-key-0123', base_url: `${provider.url}/v1` };
  await connectProvider(charging.stack.baseUrl, apiKey, body);
  return apiKey;
}

/** For each error, a request that causes it. In the last two, a service fails. */
const outages: Record<(typeof outageCodes)[number], () => Promise<Answer>> = {
  // The processes of the account service share the calls, and only one of them rejects a sign-up.
  sign_up_closed: () =>
    eventually(async () => {
      const body = { email: `${randomUUID()}@example.com`, password: newPassword() };
      const answer = await send(charging.stack.baseUrl, { path: '/v1/auth/sign-up', body });
      return answer.status === 403 ? answer : undefined;
    }),
  async already_subscribed() {
    const { person } = await pay();
    await charging.act(person, 'sync-subscription');
    return charging.act(person, 'create-checkout', { plan_id: 'pro', ...urls });
  },
  async payment_provider_error() {
    const { person } = await pay();
    charging.stripe.setAway(true);
    const answer = await charging.act(person, 'sync-subscription');
    charging.stripe.setAway(false);
    return answer;
  },
  async overloaded() {
    const key = await openAccount();
    const edge = edgeUrl(charging.stack, 'tight');
    provider.setControls({ ...plainAnswer, firstByteDelayMs: 2_000 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => postChat(edge, key, hello)));
    provider.setControls(plainAnswer);
    return answers.find(({ status }) => status === 503) ?? answers[0]!;
  },
  // The vault cannot decrypt a changed row.
  async internal_error() {
    const key = await openAccount();
    const database = new pg.Client({ connectionString: charging.stack.dev.postgres.vault });
    await database.connect();
    await database.query(`UPDATE credentials SET base_url = 'https://attacker.example/v1'`);
    await database.end();
    return postChat(charging.stack.baseUrl, key, hello);
  },
  async service_unavailable() {
    const { apiKey: key } = await createTestAccount(charging.stack);
    await charging.stack.service('worker').kill();
    return send(charging.stack.baseUrl, { path: '/v1/account/requests', key });
  },
};

it.each(Object.entries(outages))(
  '%s: the response has the status, type, code and page of the registry',
  async (code, provoke) => expectRegistered(code as ErrorCode, await provoke(), headings),
  120_000,
);
