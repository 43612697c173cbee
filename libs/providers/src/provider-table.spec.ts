import { resolveConnection } from './connections/resolve-connection.ts';
import { findProvider, providerNames } from './provider-table.ts';
import { formatsOf, proxyRouteOf } from './provider/provider.ts';
import { proxyEndpoints } from './provider/proxy-route.ts';

describe('provider table', () => {
  const providers = providerNames.map((name) => findProvider(name)!);

  test('every provider is found by its name, and the name is well-formed', () => {
    for (const provider of providers) {
      expect(provider.name).toMatch(/^[a-z][a-z0-9]{1,31}$/);
      expect(findProvider(provider.name)).toBe(provider);
      expect(provider.displayName).not.toBe('');
    }
    expect(new Set(providerNames).size).toBe(providerNames.length);
  });

  test('unknown names and names of object properties are not providers', () => {
    for (const name of ['', 'OpenAI', 'constructor', '__proto__', 'toString']) {
      expect(findProvider(name)).toBeUndefined();
    }
  });

  test('base URLs use TLS unless they are on the local machine, and have no trailing slash', () => {
    for (const { name, baseUrl } of providers) {
      if (baseUrl === null) continue;
      const url = new URL(baseUrl);
      expect([name, url.protocol]).toEqual([name, url.hostname === '127.0.0.1' ? 'http:' : 'https:']);
      expect(baseUrl).not.toMatch(/\/$/);
      expect(url.search + url.hash + url.username + url.password).toBe('');
    }
  });

  test('the base URLs of openai and mistral end in /v1', () => {
    expect(findProvider('openai')?.baseUrl).toMatch(/\/v1$/);
    expect(findProvider('mistral')?.baseUrl).toMatch(/\/v1$/);
  });

  test('a provider without an address requires a field that defines the address, and only the sandbox needs no credential', () => {
    const placed = providers.filter(({ baseUrl }) => baseUrl === null).map(({ name }) => name);
    expect(placed.sort()).toEqual(['azure', 'custom', 'sandbox', 'vertex']);
    for (const name of placed.filter((each) => each !== 'sandbox')) {
      const connect = () => resolveConnection(findProvider(name)!, { api_key: 'key-0123456789' });
      expect(connect).toThrow(
        expect.objectContaining({ param: expect.stringMatching(/^(base_url|project)$/) }),
      );
    }
    expect(providers.filter(({ auth }) => auth.kind === 'none').map(({ name }) => name)).toEqual(['sandbox']);
  });

  test('every provider supports a chat format or a proxied endpoint, and every chat path starts with a slash', () => {
    for (const provider of providers) {
      const proxied = proxyEndpoints.filter((endpoint) => proxyRouteOf(provider, endpoint, 'a-model'));
      expect(formatsOf(provider).length + proxied.length).toBeGreaterThan(0);
      for (const path of Object.values(provider.chatPaths)) expect(path).toMatch(/^\/[^/]/);
      for (const path of Object.values(provider.streamPaths ?? {})) expect(path).toMatch(/^\/[^/]/);
    }
  });
});
