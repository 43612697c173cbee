import type { KeyGrant } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';

/** The grant itself, or `expired_api_key` thrown. */
export function requireUnexpired(grant: KeyGrant): KeyGrant {
  if (grant.expiresAt !== null && Date.parse(grant.expiresAt) <= Date.now())
    throw new GatewayError('expired_api_key');
  return grant;
}
