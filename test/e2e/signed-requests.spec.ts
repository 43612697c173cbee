/**
 * Chat requests that contain their own AWS access key, from the client to a server that verifies AWS Signature
 * Version 4.
 */
import { sharedStack } from '@gateway/testing';
import { connectProvider, createTestAccount, type TestAccount } from './account.fixture.ts';
import { startAwsService, type AwsService } from './aws-service.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { postChat } from './http.fixture.ts';
import { connectionsOf } from './providers.fixture.ts';

const stack = sharedStack();
/** The address of the edge for which the host names of Amazon Bedrock lead to the test's server. */
const edge = edgeUrl(stack, 'tight');
const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const cloud = { cloud_access_key_id: 'AKIAIOSFODNN7EXAMPLE', cloud_secret_access_key: secret };
const model = 'hosted/amazon.nova-lite-v1:0';
const messages = [{ role: 'user', content: 'Grüße aus Köln' }];

let service: AwsService;
let account: TestAccount;

beforeAll(async () => {
  service = await startAwsService(secret);
  account = await createTestAccount(stack);
});
beforeEach(() => service.requests.splice(0));
afterAll(() => service.close());

const chat = (fields: object) => postChat(edge, account.apiKey, { model, messages, ...fields });

it('a chat request with an access key is signed for its region, and answered', async () => {
  const token = 'IQoJb3JpZ2luX2VjEXAMPLE';
  const answer = await chat({ ...cloud, cloud_session_token: token, cloud_region_name: 'eu-west-1' });
  expect(answer.status).toBe(200);
  expect(answer.json()).toMatchObject({
    object: 'chat.completion',
    choices: [{ message: { role: 'assistant', content: 'Hello, ü🌍.' }, finish_reason: 'stop' }],
  });
  expect(answer.headers).toMatchObject({ 'x-svc-provider': 'hosted' });
  const [sent, ...others] = service.requests;
  expect(others).toEqual([]);
  expect(sent).toMatchObject({
    line: 'POST /model/amazon.nova-lite-v1%3A0/converse',
    host: 'bedrock-runtime.eu-west-1.amazonaws.com',
    scope: expect.stringMatching(/^\d{8}\/eu-west-1\/bedrock\/aws4_request$/) as string,
    isSigned: true,
    token,
  });
  expect(sent?.body).toContain('Grüße aus Köln');
  expect(sent?.body).not.toMatch(/cloud_|EXAMPLE/);
});

it('without cloud_region_name, the request is sent to and signed for us-east-1', async () => {
  expect((await chat(cloud)).status).toBe(200);
  expect(service.requests).toMatchObject([
    {
      host: 'bedrock-runtime.us-east-1.amazonaws.com',
      scope: expect.stringContaining('/us-east-1/') as string,
      ...{ isSigned: true, token: undefined },
    },
  ]);
});

it('a streamed chat request is signed too', async () => {
  const answer = await chat({ ...cloud, stream: true });
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('Hello, ');
  expect(answer.text).toContain('[DONE]');
  expect(service.requests).toMatchObject([
    { line: 'POST /model/amazon.nova-lite-v1%3A0/converse-stream', isSigned: true },
  ]);
});

it('a wrong secret fails with the provider’s error, and later requests with the right secret succeed', async () => {
  const wrong = await chat({ ...cloud, cloud_secret_access_key: `${secret.slice(0, -1)}Z` });
  expect(wrong.status).toBe(403);
  expect(wrong.headers).toMatchObject({ 'x-svc-error-source': 'provider' });
  expect(wrong.text).not.toContain(secret.slice(0, 12));
  expect(service.requests).toMatchObject([{ isSigned: false }]);
  expect((await chat(cloud)).status).toBe(200);
});

it('the check of a stored access key is signed, and its outcome is shown', async () => {
  const key = { provider: 'hosted', access_key_id: cloud.cloud_access_key_id, region: 'eu-west-1' };
  const connect = async (secret_access_key: string) =>
    (await connectProvider(edge, account.apiKey, { ...key, secret_access_key })).json();
  expect(await connect(secret)).toMatchObject({ connected: true, verified: true, last_error: null });
  expect(service.requests).toMatchObject([{ line: 'GET /async-invoke?maxResults=1', isSigned: true }]);
  expect(await connect(`${secret.slice(0, -1)}Z`)).toMatchObject({
    ...{ connected: true, verified: false },
    last_error: 'The provider refused the credential with status 403.',
  });
  await connectionsOf(account.apiKey).remove('hosted');
});
