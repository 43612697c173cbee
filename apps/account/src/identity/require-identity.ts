import { GatewayError } from '@gateway/errors';
import type { AccountContext } from '../domain/account-context.ts';
import type { Identity } from './identity.ts';

/** Throws `not_found` when another issuer stands in for the embedded identity. */
export function requireIdentity({ identity }: Pick<AccountContext, 'identity'>): Identity {
  if (identity === null) throw new GatewayError('not_found');
  return identity;
}
