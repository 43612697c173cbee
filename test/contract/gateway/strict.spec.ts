import { startConnectedGateway, type ConnectedGateway } from './connected-gateway.ts';
import { cannedAnswers } from './canned-answers.ts';

let gateway: ConnectedGateway;

beforeAll(async () => {
  gateway = await startConnectedGateway();
}, 120_000);

afterAll(() => gateway.stop(), 60_000);

beforeEach(() => gateway.replay.reset());

/** For each client format, a request with content that other formats cannot express. */
const lossy = {
  'chat-completions': {
    path: '/v1/chat/completions',
    body: { model: 'anthropic/m', messages: [{ role: 'user', content: 'Hi' }], seed: 7 },
    answer: cannedAnswers.messages,
    field: 'seed',
  },
  messages: {
    path: '/v1/messages',
    body: { model: 'cohere/m', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }], container: 'c' },
    answer: cannedAnswers.cohere,
    field: 'container',
  },
  converse: {
    path: '/model/google%2Fm/converse',
    body: {
      messages: [{ role: 'user', content: [{ text: 'Hi' }, { cachePoint: { type: 'default' } }] }],
    },
    answer: cannedAnswers.gemini,
    field: 'messages[0].parts[0].cache_control',
  },
} as const;

type Client = keyof typeof lossy;
const clients = Object.keys(lossy) as Client[];

function ask(client: Client, headers: Record<string, string> = {}): Promise<Response> {
  const { path, body } = lossy[client];
  return fetch(gateway.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

describe('content that the provider cannot express', () => {
  it.each(clients)(
    'content that the provider cannot express is named in a header of the response to a %s client',
    async (client) => {
      gateway.replay.enqueue(null, { body: lossy[client].answer });
      const answer = await ask(client);
      expect({ status: answer.status, losses: answer.headers.get('x-svc-losses') }).toEqual({
        status: 200,
        losses: lossy[client].field,
      });
    },
  );

  it.each(clients)(
    'a strict %s client gets status 400 with the name of inexpressible content, without an upstream request',
    async (client) => {
      gateway.replay.enqueue(null, { body: lossy[client].answer });
      const answer = await ask(client, { 'x-svc-strict': 'true' });
      const said = await answer.text();
      expect(answer.status).toBe(400);
      expect(said).toContain(lossy[client].field);
      expect(answer.headers.get('x-svc-losses')).toBe(lossy[client].field);
      expect(gateway.replay.requests).toEqual([]);
    },
  );

  it('the error for inexpressible content has its code and field in the chat-completions format', async () => {
    const answer = await ask('chat-completions', { 'x-svc-strict': 'true' });
    expect(await answer.json()).toMatchObject({
      error: { code: 'translation_loss', param: 'seed', source: 'gateway', type: 'invalid_request_error' },
    });
  });

  it('no loss is reported, for strict and other clients, if the provider can express everything', async () => {
    gateway.replay.enqueue(null, { body: cannedAnswers.messages });
    const answer = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.apiKey}`,
        'content-type': 'application/json',
        'x-svc-strict': 'true',
      },
      body: JSON.stringify({ model: 'anthropic/m', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect({ status: answer.status, losses: answer.headers.get('x-svc-losses') }).toEqual({
      status: 200,
      losses: null,
    });
  });
});

describe('the retry delay', () => {
  const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' };
  const body = {
    error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED', details: [retryInfo] },
  };

  function askGoogle(path: string, request: unknown): Promise<Response> {
    return fetch(gateway.baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
  }

  const messages = [{ role: 'user', content: 'Hi' }];
  it.each([
    ['chat-completions', '/v1/chat/completions', { model: 'google/m', messages }],
    ['messages', '/v1/messages', { model: 'google/m', max_tokens: 5, messages }],
    ['converse', '/model/google%2Fm/converse', { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] }],
  ])(
    'a %s client gets the retry delay from the provider’s body in the response headers',
    async (_, path, request) => {
      gateway.replay.enqueue(null, { status: 429, body });
      const { status, headers } = await askGoogle(path, request);
      expect([status, headers.get('retry-after'), headers.get('retry-after-ms')]).toEqual([429, '2', '1500']);
    },
  );

  it('a retry delay in the provider’s headers takes precedence over the delay in the body', async () => {
    gateway.replay.enqueue(null, { status: 429, body, headers: { 'retry-after': '7' } });
    const { headers } = await askGoogle('/v1/chat/completions', { model: 'google/m', messages });
    expect([headers.get('retry-after'), headers.get('retry-after-ms')]).toEqual(['7', '7000']);
  });
});
