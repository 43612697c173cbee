import { createHash, hash, type Hash } from 'node:crypto';
import type { MessageOutline, RequestOutline } from '@gateway/interchange';
import type { SessionNames } from '../../../session-names.ts';

/** Of a text, what goes into the name. */
const charactersMax = 1_000;

/**
 * Names a transcript by what is said and called in it, not by its bytes: cache markers that a client moves from turn to
 * turn, or a result that it shortens, make no other session of it.
 *
 * @param owner account and tool list: what is remembered of one holds for no other.
 * @param clientName the client's header, which groups requests for sampling alone.
 */
export function nameSession(
  owner: string,
  { messages }: Pick<RequestOutline, 'messages'>,
  clientName: string | undefined,
): SessionNames {
  const all = createHash('sha256').update(owner);
  const firstTurn = messages.findIndex(isModels);
  const lastTurn = startOfLastTurn(messages);
  let before: string | null = null;
  let head: string | undefined;
  for (const [at, message] of messages.entries()) {
    if (at === firstTurn) head = digestOf(all);
    if (at === lastTurn) before = digestOf(all);
    addMessage(all, message);
  }
  const here = digestOf(all);
  const session = hash('sha256', `${owner}\n${clientName ?? head ?? here}`);
  return { here, before, session };
}

function isModels({ role }: MessageOutline): boolean {
  return role === 'assistant';
}

/** The model's messages in a row are one turn. */
function startOfLastTurn(messages: readonly MessageOutline[]): number {
  let at = messages.findLastIndex(isModels);
  while (at > 0 && messages[at - 1]?.role === 'assistant') at -= 1;
  return at;
}

function addMessage(all: Hash, { role, toolCalls, toolResultIds, ...message }: MessageOutline): void {
  const ids = [...toolCalls.map(({ id, name }) => `${id}:${name}`), ...toolResultIds].join(',');
  // Results are known by the calls that they answer; their texts may be long, and clients cut them.
  const isResult = role === 'tool' || toolResultIds.length > 0;
  const text = isResult ? '' : message.text();
  all.update(`${role}\n${ids}\n${text.length}\n${text.slice(0, charactersMax)}\n`);
}

function digestOf(all: Hash): string {
  return all.copy().digest('base64url');
}
