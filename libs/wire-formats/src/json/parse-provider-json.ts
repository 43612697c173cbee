import { GatewayError } from '@gateway/errors';
import { scanJson } from './scan-json.ts';

/** Deeper answers would exhaust the stack when they are compared or written again (`JSON.stringify` gives up at 5,000). */
const depthMax = 512;

/** Up to this length, counting brackets is cheaper than scanning: most answers, and all but few chunks of streams. */
const unscannedLengthMax = 65_536;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const opener = /[[{]/g;

function decode(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

/** A text without that many opening brackets cannot be that deep, wherever they stand. */
function isShallow(text: string): boolean {
  return text.length <= depthMax || (text.match(opener)?.length ?? 0) <= depthMax;
}

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
    if (given.length <= unscannedLengthMax) {
      const text = typeof given === 'string' ? given : decode(given);
      if (isShallow(text)) return parse(text);
    }
    const tape = scanJson(typeof given === 'string' ? Buffer.from(given) : given, { depthMax });
    return parse(tape.text(tape.root));
  } catch (cause) {
    throw new GatewayError('upstream_invalid', { detail: 'the provider did not send readable JSON', cause });
  }
}
