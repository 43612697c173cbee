import { createHash, hash } from 'node:crypto';
import type { RequestOutline } from '@gateway/interchange';

/** Of a text, what goes into the name. */
const charactersMax = 1_000;
/** Messages before the model's first turn, of which a session's beginning is made. */
const messagesMax = 32;

/**
 * Names the session that a request belongs to: by the client's own name for it, else by what it began with. By what is said,
 * not by its bytes: cache markers that a client moves from turn to turn make no other session of it.
 *
 * @param owner what the model of one session says nothing about another's: the account and the routing string.
 */
export function nameConversation(
  owner: string,
  { system, messages }: Pick<RequestOutline, 'system' | 'messages'>,
  clientName: string | undefined,
): string {
  if (clientName !== undefined) return hash('sha256', `${owner}\nclient\n${clientName}`, 'base64url');
  const digest = createHash('sha256').update(`${owner}\nbeginning\n`);
  const firstTurn = messages.findIndex(({ role }) => role === 'assistant');
  const beginning = (firstTurn < 0 ? messages : messages.slice(0, firstTurn)).slice(0, messagesMax);
  for (const message of system === undefined ? beginning : [system, ...beginning]) {
    const text = message.text();
    digest.update(`${message.role}\n${text.length}\n${text.slice(0, charactersMax)}\n`);
  }
  return digest.digest('base64url');
}

/** What a session was begun for: the last thing that was said before the model's first turn. */
export function readTask({ messages }: Pick<RequestOutline, 'messages'>): string {
  const firstTurn = messages.findIndex(({ role }) => role === 'assistant');
  const beginning = firstTurn < 0 ? messages : messages.slice(0, firstTurn);
  const task =
    beginning.findLast(({ role }) => role === 'user') ?? messages.findLast(({ role }) => role === 'user');
  return task?.text() ?? '';
}
