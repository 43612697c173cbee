import {
  countRequest,
  renderRateHeaders,
  requireRoom,
  type CountServices,
} from '../../../rate-limits/count-request.ts';
import type { Caller } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/**
 * Enforces the key's limit of requests per minute. Both answers carry the rate headers. Returns the caller
 * after every known change of its key.
 * @throws GatewayError `rate_limit_exceeded`; for a changed key also `invalid_api_key`, `expired_api_key` or
 * `service_unavailable`
 */
export async function limit(exchange: Exchange, known: Caller, services: CountServices): Promise<Caller> {
  const { caller, decision } = await countRequest(known, services);
  Object.assign(exchange.headers, renderRateHeaders(decision));
  requireRoom(decision);
  return caller;
}
