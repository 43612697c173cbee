import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import { parseExactJson, parseProviderJson } from '../../json/parse-json.ts';
import { isObject } from '../../json/read-members.ts';
import { readError } from './parse-stream.ts';
import { readWholeMessage } from './read-message.ts';
import { initialStreamState } from './stream-state.ts';

/**
 * A plain answer, as the events that a stream of it would have been.
 *
 * @throws GatewayError `upstream_invalid` for what is no JSON object with content.
 */
export function parseResponse(bytes: Uint8Array): StreamEvent[] {
  const body = parseProviderJson(bytes, parseExactJson);
  if (isObject(body) && body.error) return [...readError(initialStreamState, body)[1]];
  if (!isObject(body) || !Array.isArray(body.content)) {
    throw new GatewayError('upstream_invalid', { detail: 'the answer has no content' });
  }
  return [...readWholeMessage(initialStreamState, body)[1]];
}
