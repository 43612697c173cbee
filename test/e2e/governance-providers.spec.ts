import { providerConnection } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { generateKeyPairSync } from 'node:crypto';
import { createTestAccount, type TestAccount } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { call, expectFields, invalid } from './governance.fixture.ts';
import { connectionsOf, disconnected, newSecret, providersPath as path } from './providers.fixture.ts';

const stack = sharedStack();
/** The address of a self-hosted model server, to which this test file sends no request. */
const ownUrl = 'http://127.0.0.1:1/v1';

/**
 * The fields of a provider record, as decisions.md lists them. Every provider record also has an `object`
 * field.
 */
const fields = [
  ...[
    'provider',
    'object',
    'display_name',
    'connected',
    'verified',
    'credential_hint',
    'formats',
    'base_url',
  ],
  ...['created_at', 'rotated_at', 'last_used_at', 'last_error'],
  // The dashboard's form for connecting a provider needs the additional field `fields`, which decisions.md omits.
  'fields',
];

let account: TestAccount;
let connections: ReturnType<typeof connectionsOf>;
beforeEach(async () => {
  account = await createTestAccount(stack);
  connections = connectionsOf(account.apiKey);
});

describe('GET /v1/account/providers', () => {
  it('GET /v1/account/providers lists every provider with the fields of decisions.md, connected or not', async () => {
    const body = await call(200, { path, key: account.apiKey });
    expectFields(body, ['object', 'data']);
    const { object, data } = body as { object: string; data: Record<string, unknown>[] };
    expect(object).toBe('list');
    for (const each of data) expectFields(each, fields);
    const names = data.map((each) => each['provider']);
    const specified = [
      ...['openai', 'azure', 'anthropic', 'hosted', 'google', 'vertex', 'cohere', 'mistral', 'groq'],
      ...['deepseek', 'xai', 'together', 'fireworks', 'openrouter', 'sandbox'],
    ];
    expect(names).toEqual(expect.arrayContaining(specified));
    expect(new Set(names).size).toBe(names.length);
    expect(data.find((each) => each['provider'] === 'openai')).toMatchObject(disconnected);
  });
});

describe('PUT /v1/account/providers', () => {
  it('connecting a provider returns the full record with at most four characters of the secret', async () => {
    const api_key = newSecret();
    const answer = await connections.put({ provider: 'openai', api_key });
    const shown = providerConnection.strict().parse(answer.json());
    expect(shown).toMatchObject({
      provider: 'openai',
      object: 'provider',
      display_name: 'OpenAI',
      connected: true,
      credential_hint: `…${api_key.slice(-4)}`,
      formats: ['chat-completions', 'responses'],
      base_url: 'https://api.openai.com/v1',
      rotated_at: null,
      last_used_at: null,
      // Depending on the network, the provider rejects the secret or cannot be reached.
      verified: false,
      last_error: expect.any(String),
    });
    expect(Date.parse(shown.created_at!)).toBeLessThanOrEqual(Date.now());
    expect(answer.text).not.toContain(api_key.slice(-5));
    expect(await connections.find('openai')).toEqual(shown);
  });

  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const service_account = {
    type: 'service_account',
    project_id: 'my-project',
    private_key_id: '0123456789abcdef0123456789abcdef01234567',
    private_key: privateKey,
    client_email: 'gateway@my-project.iam.gserviceaccount.com',
    client_id: '1',
    token_uri: 'https://oauth2.googleapis.com/token',
  };
  const azureUrl = 'https://acme.openai.azure.com';

  it.each<[string, () => object, object]>([
    [
      'azure',
      () => ({ api_key: newSecret(), base_url: azureUrl, api_version: '2024-10-21' }),
      { base_url: `${azureUrl}/openai/deployments/%7Bmodel%7D?api-version=2024-10-21` },
    ],
    ['anthropic', () => ({ api_key: newSecret('sk-ant') }), { formats: ['messages'] }],
    [
      'hosted',
      () => ({ access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: newSecret(), region: 'eu-west-1' }),
      { credential_hint: '…MPLE' },
    ],
    [
      'hosted',
      () => ({
        access_key_id: 'ASIAIOSFODNN7SESSION',
        secret_access_key: newSecret(),
        session_token: newSecret('session'),
      }),
      { credential_hint: '…SION' },
    ],
    ['hosted', () => ({ api_key: newSecret('bedrock-api-key') }), { connected: true }],
    ['vertex', () => ({ service_account, region: 'europe-west4' }), { credential_hint: '…4567' }],
    ['vertex', () => ({ api_key: newSecret('ya29'), project: 'my-project' }), { connected: true }],
    ['custom', () => ({ base_url: ownUrl }), { credential_hint: null, connected: true }],
    ['ollama', () => ({}), { credential_hint: null, connected: true }],
    ['vllm', () => ({ api_key: newSecret(), base_url: ownUrl }), { connected: true }],
  ])('the provider %s can be connected with its fields', async (name, body, expected) => {
    const shown = await connections.connect({ provider: name, ...body() });
    expect(shown).toMatchObject({ provider: name, ...expected });
    expect(JSON.stringify(shown)).not.toMatch(/PRIVATE KEY|gserviceaccount/);
  });

  const api_key = newSecret();
  const refusals: [object, string, string][] = [
    [{}, 'missing_field', 'provider'],
    [{ provider: 7, api_key }, 'invalid_field', 'provider'],
    [{ provider: 'nobody', api_key }, 'invalid_field', 'provider'],
    [{ provider: 'sandbox', api_key }, 'invalid_field', 'provider'],
    [{ provider: 'openai' }, 'missing_field', 'api_key'],
    [{ provider: 'openai', api_key: '' }, 'invalid_field', 'api_key'],
    [{ provider: 'openai', api_key: null }, 'invalid_field', 'api_key'],
    [{ provider: 'openai', api_key: `${api_key}\r\nx: y` }, 'invalid_field', 'api_key'],
    [{ provider: 'openai', api_key, secret: 1 }, 'unknown_field', 'secret'],
    [{ provider: 'openai', api_key, region: 'us-east-1' }, 'invalid_field', 'region'],
    [{ provider: 'openai', api_key, base_url: 'ftp://example.com' }, 'invalid_field', 'base_url'],
    [
      { provider: 'openai', api_key, base_url: `https://u:${api_key}@example.com` },
      'invalid_field',
      'base_url',
    ],
    [{ provider: 'azure', api_key }, 'missing_field', 'base_url'],
    [{ provider: 'azure', api_key, base_url: azureUrl, api_version: 'x&y' }, 'invalid_field', 'api_version'],
    [{ provider: 'hosted' }, 'missing_field', 'access_key_id'],
    [{ provider: 'hosted', access_key_id: 'AKIA1' }, 'missing_field', 'secret_access_key'],
    [{ provider: 'hosted', secret_access_key: api_key }, 'missing_field', 'access_key_id'],
    [{ provider: 'hosted', api_key, session_token: 't' }, 'invalid_field', 'session_token'],
    [{ provider: 'hosted', api_key, region: 'evil.example/' }, 'invalid_field', 'region'],
    [{ provider: 'vertex', project: 'my-project' }, 'missing_field', 'api_key'],
    [{ provider: 'vertex', api_key }, 'missing_field', 'project'],
    [{ provider: 'vertex', api_key, service_account }, 'invalid_field', 'api_key'],
    [
      { provider: 'vertex', service_account: { ...service_account, private_key: api_key } },
      'invalid_field',
      'service_account.private_key',
    ],
    [
      { provider: 'vertex', service_account: { ...service_account, client_email: undefined } },
      'missing_field',
      'service_account.client_email',
    ],
    [{ provider: 'custom', api_key }, 'missing_field', 'base_url'],
  ];
  const titled = refusals.map(([body, ...rest]) => [Object.keys(body).join(', '), body, ...rest] as const);

  it.each(titled)(
    'connecting a provider with an invalid field returns an error with the field name and no secret: %s',
    async (_, body, code, param) => {
      const answer = await connections.put(body);
      expectError(answer, { ...invalid, code, param });
      expect(answer.text).not.toContain(api_key.slice(-12));
      expect(answer.text).not.toContain('PRIVATE KEY');
    },
  );

  it('a rejected request stores no credential', async () => {
    await connections.put({ provider: 'azure', api_key });
    expect(await connections.find('azure')).toMatchObject(disconnected);
  });
});
