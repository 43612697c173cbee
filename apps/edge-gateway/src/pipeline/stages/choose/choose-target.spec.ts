import { GatewayError } from '@gateway/errors';
import { loadCatalog } from '@gateway/model-catalog';
import { providerNames } from '@gateway/providers';
import { chooseProxyTarget } from '../../../proxy/proxy-target.ts';
import { chooseTarget } from './choose-target.ts';

function chooseLane(model: string, isNamed: boolean) {
  const connected = new Set(['groq', 'openai', 'anthropic']);
  const tools = { hasTools: false, effort: () => undefined };
  const wanted = { model, isNamed, format: 'responses', connected, ownCredential: null, tools } as const;
  const { lane, path } = chooseTarget(wanted, loadCatalog());
  return [lane.kind, lane.format, path];
}

test('the proxied Responses endpoint of a provider serves only the model that the client names', () => {
  expect(chooseLane('groq/a-model', true)).toEqual(['same-format', 'responses', '/responses']);
  expect(chooseLane('groq/a-model', false)).toEqual(['translated', 'chat-completions', undefined]);
});

test.each([true, false])('a provider with the Responses API keeps the format (named: %s)', (isNamed) => {
  expect(chooseLane('openai/gpt-5.4', isNamed).slice(0, 2)).toEqual(['same-format', 'responses']);
  expect(chooseLane('anthropic/claude-sonnet-4-5', isNamed)[0]).toBe('translated');
});

test.each(['chat-completions', 'messages', 'converse'] as const)(
  'a %s request for a model that only the Responses API serves is translated, with and without tools',
  (format) => {
    const catalog = loadCatalog();
    const models = catalog
      .modelsOf('openai')
      .filter(({ formats }) => formats.includes('responses'))
      .map(({ modelId }) => modelId);
    expect(models).toEqual(expect.arrayContaining(['gpt-5.3-codex', 'gpt-5.5-pro', 'o3-pro']));
    const connected = new Set(['openai']);
    for (const model of models)
      for (const hasTools of [true, false])
        for (const isNamed of [true, false]) {
          const tools = { hasTools, effort: () => undefined };
          const target = chooseTarget(
            { model, isNamed, format, connected, ownCredential: null, tools },
            catalog,
          );
          expect(target.lane).toEqual({ kind: 'translated', format: 'responses' });
        }
  },
);

/** Returns the chosen provider, or the code of the routing error. */
function providerOf(choose: () => { readonly provider: { readonly name: string } }): string {
  try {
    return choose().provider.name;
  } catch (error) {
    return error instanceof GatewayError ? error.code : String(error);
  }
}

test('a bare model name means the same provider on /v1/responses, whether planning is on or off', () => {
  const catalog = loadCatalog();
  const tools = { hasTools: false, effort: () => undefined };
  const models = new Set(
    providerNames.flatMap((name) => catalog.modelsOf(name).map(({ modelId }) => modelId)),
  );
  const different: unknown[] = [];
  for (const model of models) {
    const offering = catalog.providersOf(model);
    for (const names of [offering, ...offering.map((name) => [name])]) {
      const shared = { model, connected: new Set(names), ownCredential: null };
      const proxied = providerOf(() => chooseProxyTarget({ ...shared, endpoint: 'responses' }, catalog));
      const wanted = { ...shared, isNamed: true, format: 'responses', tools } as const;
      const planned = providerOf(() => chooseTarget(wanted, catalog));
      // A provider without the client's endpoint gets a translated request if the model is a chat model.
      const isSame =
        proxied === 'endpoint_not_supported'
          ? planned === names[0] || planned === 'model_not_found'
          : planned === proxied;
      if (!isSame) different.push({ model, names, proxied, planned });
    }
  }
  expect(models.size).toBeGreaterThan(1000);
  expect(different).toEqual([]);
});
