import type { PlanToolsRequest } from '@gateway/contracts';
import type { MessageOutline } from '@gateway/interchange';

type Context = Pick<PlanToolsRequest, 'userTurns' | 'calledTools' | 'recentResults'>;

/** Bounds on what travels to the router: at most about 200 KB, whatever the conversation. */
const turnsMax = 200;
const turnCharactersMax = 1_000;
const resultsMax = 3;
const resultCharactersMax = 1_000;

/**
 * What the router needs of a conversation. All user turns go, since the session's set is grown from them one by one;
 * past 200 the last one takes the last place, which can undo growth that only the turns left out had caused.
 */
export function conversationContext(messages: readonly MessageOutline[]): Context {
  const turns = messages.filter((message) => message.role === 'user');
  const sent = turns.length > turnsMax ? [...turns.slice(0, turnsMax - 1), ...turns.slice(-1)] : turns;
  const called = new Set<string>();
  for (const message of messages) for (const call of message.toolCalls) called.add(call.name);
  return {
    userTurns: sent.map((turn) => cutMiddle(turn.text(), turnCharactersMax)),
    calledTools: [...called].slice(0, 4096),
    recentResults: recentResults(messages),
  };
}

/** Both ends of a long turn: what is asked for stands before what was pasted, or after it. */
function cutMiddle(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const half = charactersMax / 2;
  return `${text.slice(0, half)}\n${text.slice(-half)}`;
}

/** The last tool results after the last user turn: in an agent's loop, the text that says what is needed next. */
function recentResults(messages: readonly MessageOutline[]): string[] {
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const results = messages.slice(lastUser + 1).filter((message) => message.role === 'tool');
  return results.slice(-resultsMax).map((message) => message.text().slice(0, resultCharactersMax));
}
