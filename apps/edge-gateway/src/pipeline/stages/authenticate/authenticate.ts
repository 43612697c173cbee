import { hideSecrets } from '@gateway/observability';
import type { AccountSecrets } from '../../../connections/account-secrets.ts';
import type { GrantCache } from '../../../grants/grant-cache.ts';
import { pipelineScope, requireScope } from '../../../grants/grant-cache.ts';
import { authenticateHeaders } from '../../../request/authenticate-headers.ts';
import type { Caller } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';

interface AuthenticateServices {
  readonly grants: GrantCache;
  readonly accountSecrets: AccountSecrets;
}

/**
 * Identifies the caller by the API key in the headers, and records the time of authentication. After
 * authentication, the account's credentials are redacted in the request's log lines and trace spans. Rejects with
 * the errors of `authenticateHeaders`, and with `insufficient_scope` if the API key may not be used for inference.
 */
export async function authenticate(exchange: Exchange, services: AuthenticateServices): Promise<Caller> {
  const caller = await authenticateHeaders(exchange.request.headers, services.grants);
  requireScope(caller, pipelineScope);
  exchange.timings.authenticatedAt = performance.now();
  hideSecrets(services.accountSecrets.of(caller.accountId));
  return caller;
}
