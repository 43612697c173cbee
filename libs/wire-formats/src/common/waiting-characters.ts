import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';

/** Far more than an answer has, of which one block is open while others are told. */
const waitingCharactersMax = 32 * 1024 * 1024;

/**
 * How many characters wait for the end of a block, with one more event among them.
 *
 * @throws GatewayError `upstream_invalid` past the bound.
 */
export function addWaitingCharacters(waiting: number, event: StreamEvent): number {
  const characters = waiting + charactersOf(event);
  if (characters > waitingCharactersMax) {
    throw new GatewayError('upstream_invalid', { detail: 'too much waits for a block of the stream to end' });
  }
  return characters;
}

/** Names and structure count as a little: many small events take memory too. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let characters = 64;
  for (const member of Object.values(value)) characters += charactersOf(member);
  return characters;
}
