import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import { parseProviderJson } from '../../json/parse-json.ts';
import { isObject } from '../../json/read-members.ts';
import { endStream, openStreamParser } from './parse-stream.ts';
import { readChunk } from './read-chunk.ts';
import { initialStreamState } from './stream-state.ts';

/**
 * A plain answer, as the events that a stream of it would have been; or a stream told as a list, which is what Google
 * sends, as JSON, where the address does not ask for events.
 *
 * @throws GatewayError `upstream_invalid` for what is no JSON object with candidates.
 */
export function parseResponse(bytes: Uint8Array): StreamEvent[] {
  const body = parseProviderJson(bytes);
  if (Array.isArray(body)) return parseList(bytes);
  const isAnswer =
    isObject(body) && ['candidates', 'promptFeedback', 'error'].some((name) => isSet(body[name]));
  if (!isAnswer) throw new GatewayError('upstream_invalid', { detail: 'the answer has no candidates' });
  const [state, events] = readChunk(initialStreamState, body, true);
  return [...events, ...endStream(state)[1]];
}

function parseList(bytes: Uint8Array): StreamEvent[] {
  const parser = openStreamParser();
  return [...parser.push(bytes), ...parser.end()];
}

function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
