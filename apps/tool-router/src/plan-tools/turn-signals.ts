import { listIdentifiers, splitTurn, type IntentClass } from '@gateway/interchange';
import { LRUCache } from 'lru-cache';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';

const charactersMax = 4000;
const code =
  /```|\b(?:stack ?trace|exception|refactor|compile|unit tests?|regex|function|codebase|bug)\b|[{;]\s*\n|=>|\bdef \w+\(/i;
const goOn =
  /^\W*(?:yes|yep|ok|okay|sure|go on|continue|proceed|do it|please do|thanks|thank you|next|correct|right)\b/i;
const severalSteps =
  /\b(?:then|after that|afterwards|next|finally|once (?:that|you|it)|followed by|and also)\b|(?:^|\n)[^\S\n]*(?:\d+[.)]|[-*])\s/i;
const act =
  /\b(?:create|add|delete|remove|update|set|send|post|book|cancel|schedule|close|open|merge|move|rename|assign|upload|write|buy|order|pay|start|stop|run|invite|enable|disable|reply|comment|deploy|install|register|reserve|turn|play|change|edit|approve)\b/i;
const lookup =
  /\?|\b(?:what|which|who|when|where|how|find|search|get|list|show|fetch|look up|tell|give|check|retrieve|read|calculate|compute|compare|summari[sz]e|describe|count)\b/i;
/** Maximum number of words in a reply that merely continues the task. */
const continuationWordsMax = 4;

/**
 * Classifies a request's intent from its newest user turn. The intent is used in logs and to group
 * measurements. The intent does not affect which tools are pruned.
 */
export function classifyIntent(turn: string, hasOpenResults: boolean): IntentClass {
  if (hasOpenResults) return 'continue';
  const text = turn.slice(0, charactersMax);
  if (goOn.test(text) && text.split(/\s+/).length <= continuationWordsMax) return 'continue';
  if (code.test(text)) return 'code';
  if (severalSteps.test(text) && (act.test(text) || lookup.test(text))) return 'multi-step';
  if (act.test(text)) return 'act';
  return lookup.test(text) ? 'lookup' : 'chat';
}

const turnCharactersMax = 100_000;
const quotedPattern = /[`"'“‘]([\p{L}\p{N}_.:/-]{1,256})[`"'”’]/gu;
/**
 * Positions of the tools that a turn mentions verbatim. A mention is an identifier (`create_issue`, `getUser`),
 * or any tool name in quotes or backticks. The ordinary word "search" does not count as a mention of a tool
 * named `search`. Only the text that the user wrote is searched (`splitTurn`), because a name in a pasted log
 * is not a request for the tool.
 */
export function findMentions(index: KeywordIndex, turn: string): number[] {
  const text = splitTurn(turn.slice(0, turnCharactersMax)).written;
  const named = new Set<number>();
  const add = (name: string): void => {
    for (const position of index.positionsByName.get(name) ?? []) named.add(position);
  };
  for (const name of listIdentifiers(text)) add(name);
  for (const [, name] of text.matchAll(quotedPattern)) add(name ?? '');
  return [...named];
}

/** Maximum total size of cached turns, in characters. */
const memoCharactersMax = 16 * 1024 * 1024;
/** Maximum number of tool lists for which the mentions in one turn are cached. */
const listsOfTurnMax = 8;

/** The facts about one user turn. */
interface TurnFacts {
  readonly carriesOn: boolean;
  /** Positions of the mentioned tools, by the hash of the tool list. */
  readonly mentioned: Map<string, readonly number[]>;
}

/**
 * Caches the facts about user turns, because each agent loop step repeats the same turns. The cache key is the
 * turn's text. `TurnMemory` returns the same string again, so a lookup does not need to compare the characters.
 */
export class MemoizedTurns {
  readonly #known = new LRUCache<string, TurnFacts>({
    maxSize: memoCharactersMax,
    sizeCalculation: ({ mentioned }, turn) =>
      [...mentioned.values()].reduce((size, positions) => size + positions.length + 64, turn.length + 64),
  });

  /** Returns whether the turn only continues the previous task, for example with "yes, do it". */
  carriesOn(turn: string): boolean {
    return this.#factsOf(turn).carriesOn;
  }

  /** Returns the positions of the mentioned tools (`findMentions`). */
  findMentions(index: KeywordIndex, turn: string): readonly number[] {
    const facts = this.#factsOf(turn);
    const known = facts.mentioned.get(index.listHash);
    if (known !== undefined) return known;
    const positions = findMentions(index, turn);
    const kept = facts.mentioned.size < listsOfTurnMax ? facts.mentioned : [];
    const mentioned = new Map(kept).set(index.listHash, positions);
    this.#known.set(turn, { ...facts, mentioned });
    return positions;
  }

  #factsOf(turn: string): TurnFacts {
    const known = this.#known.get(turn);
    if (known !== undefined) return known;
    const facts = { carriesOn: classifyIntent(turn, false) === 'continue', mentioned: new Map() };
    this.#known.set(turn, facts);
    return facts;
  }
}
