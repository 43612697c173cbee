/** Tests credentials in a request (`cloud_*`) for an account that also has stored credentials. */
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { connectProvider, createTestAccount } from './account.fixture.ts';
import { plainConverse, said } from './bedrock.fixture.ts';
import { postChat, type Answer } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';

const stack = sharedStack();
let replay: ReplayProvider;
let key: string;

beforeAll(async () => {
  replay = await startProvider();
  replay.setControls(plainConverse(said));
  key = (await createTestAccount(stack)).apiKey;
  const stored = { provider: 'hosted', api_key: 'stored-key', base_url: replay.url };
  await connectProvider(stack.baseUrl, key, stored);
});
afterAll(() => replay.close());

function ask(cloud: object): Promise<Answer> {
  const messages = [{ role: 'user', content: 'Hi' }];
  return postChat(stack.baseUrl, key, { model: 'hosted/amazon.nova-lite-v1:0', messages, ...cloud });
}

it('invalid cloud_* credentials in one request do not affect the account’s other requests to the hosted provider', async () => {
  const broken = { cloud_bearer_token_hosted: 'own-key', cloud_region_name: 'zz-none-1' };
  const failed = await Promise.all(Array.from({ length: 8 }, () => ask(broken)));
  expect(new Set(failed.map(({ status }) => status >= 500))).toEqual(new Set([true]));
  const served: Answer[] = [];
  for (let at = 0; at < 8; at += 1) served.push(await ask({}));
  expect(served.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  expect(replay.requests.every(({ headers }) => headers.authorization === 'Bearer stored-key')).toBe(true);
});
