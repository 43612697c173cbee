import type { GrantCache } from '../../../grants/grant-cache.ts';
import { authenticateHeaders } from '../../../request/authenticate-headers.ts';
import type { Caller } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/**
 * Finds the caller by the API key in the headers, and records the time of authentication. Fails as
 * `authenticateHeaders` does.
 */
export async function authenticate(exchange: Exchange, services: { grants: GrantCache }): Promise<Caller> {
  const caller = await authenticateHeaders(exchange.request.headers, services.grants);
  exchange.timings.authenticatedAt = performance.now();
  return caller;
}
