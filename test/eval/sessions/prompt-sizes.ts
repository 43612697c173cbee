import type { ReplaySubject } from './replay.ts';

/**
 * Prompt sizes in tokens, for instructions and for each tool result. `small` is the size of public dialogues,
 * and `large` is the size of coding agents' prompts.
 */
export const promptSizes = {
  small: { system: 300, result: 80 },
  large: { system: 8_000, result: 800 },
} as const;
export type PromptSize = keyof typeof promptSizes;
export const promptSizeNames = ['small', 'large'] as const satisfies readonly PromptSize[];

/**
 * Returns the conversation with other lengths of instructions and tool results. The words of the conversation
 * do not change.
 */
export function resize(subject: ReplaySubject, size: PromptSize): ReplaySubject {
  const { system, result } = promptSizes[size];
  let turns = 0;
  const requests = subject.session.requests.map((request) => {
    const isNewTurn = request.userTurns.length > turns;
    turns = request.userTurns.length;
    return isNewTurn ? request : { ...request, newTokens: result };
  });
  return { ...subject, session: { ...subject.session, systemTokens: system, requests } };
}
