import { loadCatalog } from '@gateway/model-catalog';
import { requireKnownNames } from './preferences.route.ts';

const catalog = loadCatalog();
const check = (body: Parameters<typeof requireKnownNames>[0]) => () => requireKnownNames(body, catalog);

describe('names in routing preferences', () => {
  it.each([
    {},
    { allowed_providers: null, fallbacks: [] },
    { allowed_providers: ['openai', 'anthropic', 'sandbox'] },
    { fallbacks: ['openai/gpt-4o', 'openai/a-model-of-tomorrow', 'gpt-4o', 'together/org/model-with-slash'] },
  ])('are accepted if they are known: %j', (body) => {
    expect(check(body)).not.toThrow();
  });

  it.each([
    [{ allowed_providers: ['openai', 'opnai'] }, 'allowed_providers[1]'],
    [{ allowed_providers: ['openai', 'openai'] }, 'allowed_providers[1]'],
    [{ fallbacks: ['no-such-model-anywhere'] }, 'fallbacks[0]'],
    [{ fallbacks: ['nobody/model'] }, 'fallbacks[0]'],
    [{ fallbacks: ['openai/'] }, 'fallbacks[0]'],
    [{ fallbacks: ['/gpt-4o'] }, 'fallbacks[0]'],
    [{ fallbacks: ['svc/cheap'] }, 'fallbacks[0]'],
    [{ fallbacks: ['openai/text-embedding-3-small'] }, 'fallbacks[0]'],
    [{ fallbacks: ['gpt-4o', 'openai/gpt-4o', 'gpt-4o'] }, 'fallbacks[2]'],
  ])('are rejected if they are not known, and the error contains their position: %j', (body, param) => {
    expect(check(body)).toThrow(expect.objectContaining({ code: 'invalid_field', param }) as Error);
  });
});
