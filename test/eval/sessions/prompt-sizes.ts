import { ConversationCompressor } from '../../../apps/compressor/src/compress-blocks/conversation.ts';
import { tokensOf } from '../compression/token-table.ts';
import type { Transcript } from '../compression/transcripts.ts';
import type { EvalRequest } from './eval-session.ts';
import type { ReplaySubject } from './replay.ts';

/**
 * Prompt sizes in tokens, for the instructions and for each tool result. `small` matches public dialogues,
 * and `large` matches coding agents' prompts.
 */
export const promptSizes = {
  small: { system: 300, result: 80 },
  large: { system: 8_000, result: 800 },
} as const;
export type PromptSize = keyof typeof promptSizes;
export const promptSizeNames = ['small', 'large'] as const satisfies readonly PromptSize[];

/**
 * Returns the conversation with other lengths of instructions and tool results. The conversation's words stay
 * the same.
 */
export function resize(subject: ReplaySubject, size: PromptSize): ReplaySubject {
  const { system, result } = promptSizes[size];
  const resized = mapResults(subject, () => result);
  return { ...resized, session: { ...resized.session, systemTokens: system } };
}

/**
 * Returns the conversation as if its tool results were compressed on arrival.
 * @param share the token count of compressed tool results, divided by their original token count
 */
export function compressResults(subject: ReplaySubject, share: number): ReplaySubject {
  return mapResults(subject, (tokens) => Math.round(tokens * share));
}

function mapResults(subject: ReplaySubject, tokensFor: (tokens: number) => number): ReplaySubject {
  let turns = 0;
  const requests = subject.session.requests.map((request): EvalRequest => {
    const isNewTurn = request.userTurns.length > turns;
    turns = request.userTurns.length;
    return isNewTurn ? request : { ...request, newTokens: tokensFor(request.newTokens) };
  });
  return { ...subject, session: { ...subject.session, requests } };
}

/**
 * Returns the token count of compressed tool results divided by their original token count, over recorded
 * sessions. The compressor uses the mode `lossless`, which is the default for new accounts.
 */
export function measureResultShare(transcripts: readonly Transcript[]): number {
  let [before, after] = [0, 0];
  for (const { id, blocks, observations } of transcripts) {
    const compressor = new ConversationCompressor({ mode: 'lossless', recoverable: false, sessionSeed: id });
    for (const [at, block] of blocks.entries()) {
      const { text } = compressor.add(block);
      if (!observations.has(at)) continue;
      before += tokensOf(block.text);
      after += tokensOf(text ?? block.text);
    }
  }
  return after / before;
}
