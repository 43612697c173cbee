import { providerConnection, providerConnectionList, type ProviderConnection } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { randomBytes } from 'node:crypto';
import { callFor } from './governance.fixture.ts';
import { send, type Answer } from './http.fixture.ts';

export const providersPath = '/v1/account/providers';

/** The record of a provider that has no stored credential. */
export const disconnected = {
  connected: false,
  verified: false,
  credential_hint: null,
  created_at: null,
  rotated_at: null,
  last_used_at: null,
  last_error: null,
};

export const newSecret = (prefix = 'sk-provider') => `${prefix}-${randomBytes(24).toString('hex')}`;

/** Returns functions that manage an account's provider connections with an API key. */
export function connectionsOf(key: string) {
  const path = providersPath;
  return {
    put: (body: object): Promise<Answer> => send(sharedStack().baseUrl, { method: 'PUT', path, key, body }),
    connect: (body: object): Promise<ProviderConnection> =>
      callFor(providerConnection.strict(), 200, { method: 'PUT', path, key, body }),
    find: async (name: string): Promise<ProviderConnection> =>
      (await callFor(providerConnectionList, 200, { path, key })).data.find(
        (each) => each.provider === name,
      )!,
    remove: (name: string): Promise<Answer> =>
      send(sharedStack().baseUrl, { method: 'DELETE', path: `${path}/${name}`, key }),
  };
}
