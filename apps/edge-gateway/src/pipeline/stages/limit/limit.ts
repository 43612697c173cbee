import { pipelineScope, requireScope } from '../../../grants/grant-cache.ts';
import {
  countRequest,
  renderRateHeaders,
  requireRoom,
  type CountServices,
} from '../../../rate-limits/count-request.ts';
import type { Caller } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/**
 * Enforces the API key's limit of requests per minute. Accepted and rejected requests both get the rate-limit
 * headers. Returns the caller, including all known changes to its API key.
 * @throws GatewayError `rate_limit_exceeded` if the API key has sent too many requests per minute.
 * @throws GatewayError `invalid_api_key`, `expired_api_key` or `insufficient_scope` if a changed API key no longer
 * permits the request.
 * @throws GatewayError `service_unavailable` if a changed API key cannot be checked
 */
export async function limit(exchange: Exchange, known: Caller, services: CountServices): Promise<Caller> {
  const { caller, decision } = await countRequest(known, services);
  Object.assign(exchange.headers, renderRateHeaders(decision));
  if (caller !== known) requireScope(caller, pipelineScope);
  requireRoom(decision);
  return caller;
}
