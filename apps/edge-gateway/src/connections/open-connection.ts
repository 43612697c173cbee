import { GatewayError } from '@gateway/errors';
import type { Backend } from '../backends/backend.ts';
import type { BackendBook } from '../backends/backend-book.ts';
import type { Caller, Target } from '../request/request.ts';
import type { PipelineSettings } from '../request/settings.ts';
import type { Connections, OpenedKey } from './connections.ts';
import { secretValues } from './connections.ts';

/** What a provider call is made with. */
export interface Connection {
  /** As `libs/providers` reads it; null for a provider that asks for none. */
  readonly credential: string | null;
  /** Replaces the provider's own address. */
  readonly baseUrl: string | null;
  /** Each value of the credential that must not show. */
  readonly secrets: readonly string[];
  /** To be told of the status of every answer: how a stored credential fares is shown with its connection. */
  readonly health: OpenedKey['health'];
  /** Whether it may be called now, and how it fares. */
  readonly backend: Backend;
}

export interface ConnectionServices {
  readonly connections: Connections;
  readonly settings: PipelineSettings;
  readonly backends: BackendBook;
}

/** Of a credential that is not stored. */
const untold: OpenedKey['health'] = { note: () => undefined };

/**
 * The caller's own credential, or those that were saved for the provider: one connection for each. Throws
 * `provider_not_connected`.
 */
export async function openConnections(
  { provider, ownCredential }: Pick<Target, 'provider' | 'ownCredential'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { connections, settings, backends }: ConnectionServices,
): Promise<readonly Connection[]> {
  const place = { accountId, provider: provider.name };
  if (ownCredential !== null || (provider.name === 'sandbox' && settings.sandboxUrl !== undefined)) {
    return [
      {
        credential: ownCredential,
        baseUrl: ownCredential === null ? (settings.sandboxUrl ?? null) : null,
        secrets: ownCredential === null ? [] : secretValues(ownCredential),
        health: untold,
        backend: backends.find({ ...place, credential: 0 }),
      },
    ];
  }
  const opened = await connections.open(accountId, provider.name);
  if (opened) {
    const { keys, baseUrl } = opened;
    return keys.map(({ apiKey, secretValues: secrets, health }, credential) => ({
      // A server of one's own may ask for no key at all.
      credential: apiKey === '' ? null : apiKey,
      ...{ baseUrl, secrets, health },
      backend: backends.find({ ...place, credential }),
    }));
  }
  throw new GatewayError('provider_not_connected', {
    param: 'model',
    message: `The provider ${provider.name} is not connected.`,
  });
}
