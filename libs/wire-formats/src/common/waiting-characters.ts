import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';

/** Maximum number of buffered characters, which is far more than real responses need. */
const waitingCharactersMax = 32 * 1024 * 1024;

/**
 * Adds an event's size to the count of buffered characters. Renderers buffer a block's events while a
 * different block is open.
 * @throws GatewayError `upstream_invalid` if the number of buffered characters exceeds its maximum.
 */
export function addWaitingCharacters(waiting: number, event: StreamEvent): number {
  const characters = waiting + charactersOf(event);
  if (characters > waitingCharactersMax) {
    throw new GatewayError('upstream_invalid', {
      detail: 'too many events are buffered until a block of the stream ends',
    });
  }
  return characters;
}

/** Adds a fixed size per object, because many small events also use memory. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let characters = 64;
  for (const member of Object.values(value)) characters += charactersOf(member);
  return characters;
}
