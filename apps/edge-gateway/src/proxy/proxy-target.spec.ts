import { loadCatalog } from '@gateway/model-catalog';
import type { ProxyEndpoint } from '@gateway/providers';
import { openExchange } from '../pipeline/exchange/exchange.fixture.ts';
import { answerResponses } from './answer-responses.ts';
import { chooseProxyTarget, mayBeHosted } from './proxy-target.ts';

const catalog = loadCatalog();
const own = '{"access_key_id":"AKIA","secret_access_key":"s","region":"us-east-1"}';
const titan = 'amazon.titan-embed-text-v2:0';

function choose(
  model: string,
  connected: readonly string[] = [],
  ownCredential: string | null = null,
  endpoint: ProxyEndpoint = 'embeddings',
) {
  return chooseProxyTarget({ model, endpoint, connected: new Set(connected), ownCredential }, catalog);
}

describe('a credential in a proxied request', () => {
  it('replaces the stored connection to the hosted service', () => {
    expect(choose(`hosted/${titan}`, [], own)).toMatchObject({
      ...{ provider: { name: 'hosted' }, model: titan, ownCredential: own },
    });
    expect(() => choose(`hosted/${titan}`)).toThrow(
      expect.objectContaining({ code: 'provider_not_connected' }),
    );
  });

  it('is not used for other providers', () => {
    expect(choose('openai/text-embedding-3-small', ['openai'], own).ownCredential).toBeNull();
    expect(choose(`hosted/${titan}`, ['hosted']).ownCredential).toBeNull();
  });

  it('is read only if the model may be hosted', () => {
    expect(mayBeHosted(`hosted/${titan}`, catalog)).toBe(true);
    expect(mayBeHosted('openai/text-embedding-3-small', catalog)).toBe(false);
  });
});

describe('the provider of a proxied request', () => {
  it('must have the endpoint, and is named in the error if it lacks the endpoint', () => {
    expect(() => choose('anthropic/claude', ['anthropic'])).toThrow(
      /The provider anthropic does not support/,
    );
    expect(() => choose('hosted/meta.llama3', ['hosted'])).toThrow(/for the model "meta.llama3"/);
  });

  it('is ambiguous, with every choice in the error, if no connected provider of the model has the endpoint', () => {
    const names = ['groq', 'cerebras'];
    const shared = { find: () => undefined, providersOf: () => names };
    const wanted = {
      model: 'm',
      endpoint: 'rerank',
      connected: new Set(names),
      ownCredential: null,
    } as const;
    expect(() => chooseProxyTarget(wanted, shared as unknown as typeof catalog)).toThrow(
      expect.objectContaining({
        code: 'ambiguous_model',
        message: expect.stringMatching(/groq.*cerebras/) as string,
      }),
    );
  });

  it('is chosen for a translated Responses request only if all `model` fields of the body are equal', async () => {
    const bytes = Buffer.from('{"model":"groq/m","input":"a","model":"openai/m"}');
    const exchange = { ...openExchange(), format: 'responses' } as const;
    const body = { place: { start: 0, end: 0, model: 'groq/m' }, holdAll: () => Promise.resolve(bytes) };
    const answer = answerResponses(
      body,
      { accepted: () => Promise.resolve() },
      exchange,
      {} as never,
      {} as never,
    );
    await expect(answer).rejects.toMatchObject({ code: 'invalid_field', param: 'model' });
  });

  it('is found by model name only among the providers that have the endpoint', () => {
    expect(choose('text-embedding-3-small', ['openai', 'anthropic']).provider.name).toBe('openai');
  });
});
