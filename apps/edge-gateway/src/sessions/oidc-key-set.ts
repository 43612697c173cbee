import { GatewayError } from '@gateway/errors';
import type { EgressGuard } from '@gateway/providers';
import { Agent } from 'undici';
import { z } from 'zod';
import type { FetchKeySet } from './verification-keys.ts';

const documentBytesMax = 256 * 1024;
const discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });

/**
 * The key set of an OpenID Connect issuer, by its discovery document (OpenID Connect Discovery 1.0 §4). Both addresses pass
 * the egress guard, and no redirect is followed.
 */
export function createOidcKeySet(
  issuer: string,
  guard: EgressGuard,
): { fetchKeySet: FetchKeySet; close: () => Promise<void> } {
  const agent = new Agent({ connect: guard.connect, connections: 2, maxResponseSize: documentBytesMax });
  const fetchJson = async (address: string, signal: AbortSignal): Promise<unknown> => {
    guard.checkUrl(address);
    const { origin, pathname, search } = new URL(address);
    const answer = await agent.request({
      origin,
      path: pathname + search,
      method: 'GET',
      headers: { accept: 'application/json' },
      signal,
    });
    if (answer.statusCode === 200) return answer.body.json();
    await answer.body.dump();
    throw new GatewayError('service_unavailable', { detail: `${address} answered ${answer.statusCode}` });
  };
  const fetchKeySet: FetchKeySet = async (signal) => {
    const document = discovery.parse(
      await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal),
    );
    if (document.issuer !== issuer)
      throw new GatewayError('service_unavailable', { detail: `the issuer calls itself ${document.issuer}` });
    return fetchJson(document.jwks_uri, signal);
  };
  return { fetchKeySet, close: () => agent.close() };
}
