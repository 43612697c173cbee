import { controllers } from '../edge-gateway.module.ts';
import { Controller, Get } from '@nestjs/common';
import { checkScopes, scopeOf } from './operation-scopes.ts';
import { AllowAccess, Describe, type Access, type Operation } from './operation.ts';
import { listRoutes } from './route-table.ts';

const routes = listRoutes(controllers);

/**
 * Creates a route with the given access rule and operation id. The default operation id is not in the table
 * of scopes.
 */
function routeOf(access: Access, id = 'readSomething') {
  const operation: Operation = {
    id,
    tag: 'Account',
    summary: 'A route',
    answer: { status: 200, description: 'An answer.' },
  };
  class Added {
    read(): null {
      return null;
    }
  }
  Controller('/added')(Added);
  const descriptor = Object.getOwnPropertyDescriptor(Added.prototype, 'read')!;
  for (const decorate of [Get(), AllowAccess(access), Describe(operation)])
    decorate(Added.prototype, 'read', descriptor);
  return listRoutes([Added]);
}

describe('the table of operation scopes', () => {
  it('contains exactly the routes that accept API keys', () => {
    expect(() => checkScopes(routes)).not.toThrow();
  });

  it.each(['api-key', 'api-key-or-session', 'pipeline'] as const)(
    'prevents the gateway’s start if a route with access %s declares no scope',
    (access) => {
      expect(() => checkScopes([...routes, ...routeOf(access)])).toThrow(/Added\.read .* has no scope/);
    },
  );

  it('prevents the gateway’s start if a route without API keys has a scope, or if the scope in the pipeline differs from the table', () => {
    const without = (id: string) => routes.filter(({ operation }) => operation?.id !== id);
    const move = (id: string, access: Access) => [...without(id), ...routeOf(access, id)];
    expect(() => checkScopes(move('getBilling', 'session'))).toThrow(/accepts no API key/);
    expect(() => checkScopes(move('getBilling', 'pipeline'))).toThrow(/needs the scope inference/);
    expect(() => checkScopes(without('getBilling'))).toThrow(/no route is named getBilling/);
  });

  it('lets an API key with the scope `read` change nothing', () => {
    for (const { method, operation } of routes)
      if (scopeOf(operation?.id) === 'read') expect([operation?.id, method]).toEqual([operation?.id, 'GET']);
  });
});
