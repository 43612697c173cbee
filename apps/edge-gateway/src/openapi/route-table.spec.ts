import { controllers } from '../edge-gateway.module.ts';
import { operationTags } from './operation.ts';
import { listRoutes } from './route-table.ts';

const routes = listRoutes(controllers);
const named = routes.map((route) => [`${route.method} ${route.paths[0]}`, route] as const);

describe('every route', () => {
  test.each(named)('%s declares its access rule, input and response', (_name, route) => {
    expect({ name: route.name, access: route.access, operation: route.operation?.id }).toEqual({
      name: route.name,
      access: expect.any(String) as string,
      operation: expect.stringMatching(/^[a-z][A-Za-z]+$/) as string,
    });
    expect(route.operation?.answer.schema).toBeDefined();
    expect(operationTags).toContain(route.operation?.tag);
  });

  test.each(named)('%s describes every parameter in each of its paths', (_name, { paths, operation }) => {
    for (const path of paths) {
      const segments = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name);
      expect(Object.keys(operation?.params?.shape ?? {}).sort()).toEqual(segments.sort());
    }
  });

  test.each(named)('%s has a body if and only if its method allows one', (_name, { method, operation }) => {
    if (method === 'GET' || method === 'DELETE') expect(operation?.body).toBeUndefined();
    if (method === 'PUT' || method === 'PATCH') expect(operation?.body).toBeDefined();
  });

  test('has a unique operation id and unique paths', () => {
    const ids = routes.map(({ operation }) => operation?.id);
    expect(new Set(ids).size).toBe(ids.length);
    const addresses = routes.flatMap(({ method, paths }) => paths.map((path) => `${method} ${path}`));
    expect(new Set(addresses).size).toBe(addresses.length);
  });
});

test('has paths in the notation of the public API', () => {
  expect(routes.find(({ name }) => name === 'KeysRoute.revoke')?.paths).toEqual([
    '/v1/account/keys/{key_id}',
    '/v1/keys/{key_id}',
  ]);
  expect(routes.find(({ name }) => name === 'ModelsRoute.find')?.paths).toEqual(['/v1/models/{id}']);
  expect(routes.find(({ name }) => name === 'ChatRoute.converse')?.paths).toEqual(['/model/{id}/converse']);
});
