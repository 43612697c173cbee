import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import { parseProviderJson } from '../../json/parse-json.ts';
import { isObject } from '../../json/read-members.ts';
import { endMessage } from './parse-stream.ts';
import { readChunk } from './read-chunk.ts';
import { initialStreamState } from './stream-state.ts';

/**
 * A plain answer, as the events that a stream of it would have been.
 *
 * @throws GatewayError `upstream_invalid` for what is no JSON object with choices.
 */
export function parseResponse(bytes: Uint8Array): StreamEvent[] {
  const body = parseProviderJson(bytes);
  if (!isObject(body) || !(Array.isArray(body.choices) || body.error)) {
    throw new GatewayError('upstream_invalid', { detail: 'the answer has no choices' });
  }
  const told: StreamEvent[] = [];
  const state = readChunk(initialStreamState, body, true, told);
  if (!told.some((event) => event.type === 'error')) endMessage(state, told);
  return told;
}
