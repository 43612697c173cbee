import { GatewayError } from '@gateway/errors';
import { parseProviderJson } from '../../json/parse-json.ts';
import { asNumber, asObject } from '../../json/read-members.ts';

/**
 * The input tokens that a provider counted (`POST /v1/messages/count_tokens`).
 *
 * @throws GatewayError `upstream_invalid`
 */
export function parseTokenCount(bytes: Uint8Array): number {
  const count = asNumber(asObject(parseProviderJson(bytes))?.input_tokens);
  if (count === undefined) throw new GatewayError('upstream_invalid', { detail: 'the answer has no count' });
  return count;
}
