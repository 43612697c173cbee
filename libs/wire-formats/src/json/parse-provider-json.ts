import { GatewayError } from '@gateway/errors';
import { scanJson } from './scan-json.ts';

/** Deeper answers would exhaust the stack when they are compared or written again (`JSON.stringify` gives up at 5,000). */
const depthMax = 512;

/**
 * What a provider sent, as a value. `parse` may keep more of it than `JSON.parse`.
 *
 * @throws GatewayError `upstream_invalid` for what is no JSON, no UTF-8, or too deep.
 */
export function parseProviderJson(
  given: string | Uint8Array,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  try {
    // Too short to be too deep: the chunks of most streams.
    if (typeof given === 'string' && given.length <= depthMax) return parse(given);
    const tape = scanJson(typeof given === 'string' ? Buffer.from(given) : given, { depthMax });
    return parse(tape.text(tape.root));
  } catch (cause) {
    throw new GatewayError('upstream_invalid', { detail: 'the provider did not send readable JSON', cause });
  }
}
