/** Compares the requests that the provider received in a session. */
import { isDescription } from './capable-model.fixture.ts';
import type { Prompt } from './prompts.fixture.ts';
import { charactersPerToken, type Session, type SessionRequest } from './sessions.fixture.ts';

/**
 * The requests in the agent's loop, without the requests of recovery rounds. A recovery round repeats the
 * agent's request with the definitions that the model requested.
 */
function listLoop({ requests }: Session): readonly SessionRequest[] {
  return requests.filter(({ prompt }) => prompt.tools.length > 0 && !prompt.items.some(isGatewayCall));
}

/** The number of requests in recovery rounds. */
export const countRounds = ({ requests }: Session): number =>
  requests.filter(({ prompt }) => prompt.items.some(isGatewayCall)).length;

const isGatewayCall = (item: Prompt['items'][number]): boolean =>
  isDescription(item) && item.kind === 'call' && item.name.startsWith('svc_');

/** The part of a request that differs from the same part of the previous request. */
export interface PrefixChange {
  /** The request's index in the agent loop, and the index of the user turn. */
  readonly at: number;
  readonly turn: number;
  readonly part: 'tools' | 'instructions' | 'messages';
}

/**
 * Lists the changes to the prefix of a conversation. Each request in an agent loop must repeat the previous
 * request's tools, instructions and messages unchanged. If the provider does not cache the prompt, the recovery of
 * a pruned tool may add the tool to the list.
 */
export function listPrefixChanges(session: Session): PrefixChange[] {
  const loop = listLoop(session);
  return loop.flatMap(({ prompt, turn }, at): PrefixChange[] => {
    const previous = loop[at - 1];
    const isContinued = previous !== undefined && (session.isResumed || previous.turn === turn);
    if (!isContinued) return [];
    const before = previous.prompt;
    const place = { at, turn };
    if (prompt.head[0] !== before.head[0])
      return isRegrown(before, prompt) ? [] : [{ ...place, part: 'tools' }];
    if (prompt.head[1] !== before.head[1]) return [{ ...place, part: 'instructions' }];
    const isKept = before.messages.every((message, index) => message === prompt.messages[index]);
    return isKept ? [] : [{ ...place, part: 'messages' }];
  });
}

const isRegrown = (before: Prompt, { isCached, tools }: Prompt): boolean =>
  !isCached &&
  tools.length > before.tools.length &&
  before.tools.every(({ name }) => tools.some((tool) => tool.name === name));

interface ResumedRequest {
  readonly tokens: number;
  readonly cachedTokens: number;
  /**
   * Tokens of the deferred definitions that the gateway loads for the new user turn. The definitions are new at the
   * end of the prompt, so the provider's cache cannot contain them.
   */
  readonly loadedTokens: number;
}

/** The first request after the session resumes, in which the agent repeats the whole conversation. */
export function findResumed({ requests }: Session): ResumedRequest {
  const isInLoop = ({ prompt }: SessionRequest): boolean => prompt.tools.length > 0;
  const at = requests.findIndex((request) => request.turn === 1 && isInLoop(request));
  const resumed = requests[at];
  if (resumed === undefined) return { tokens: 0, cachedTokens: 0, loadedTokens: 0 };
  const { tokens, cachedTokens, prompt } = resumed;
  const earlier = new Set(requests.slice(0, at).findLast(isInLoop)?.prompt.loaded);
  const loaded = prompt.tools.filter(({ name }) => prompt.loaded.includes(name) && !earlier.has(name));
  const characters = loaded.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
  return { tokens, cachedTokens, loadedTokens: Math.ceil(characters / charactersPerToken) };
}
