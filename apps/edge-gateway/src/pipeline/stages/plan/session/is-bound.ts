import type { CatalogModel } from '@gateway/model-catalog';
import type { JsonTape } from '@gateway/wire-formats';
import { carriesSignedReasoning, turnsReasoningOn } from '../../../../request/request-facts.ts';

/**
 * Whether the model's signed thinking binds the session to its tools: it goes out as it came, from the first turn on.
 * Decided by each request alone: once thinking is on, it stays on, or its signatures stay in the transcript. Of a model that
 * the catalogue does not know, the messages' own `thinking` is enough.
 */
export function isBound(tape: JsonTape, model: CatalogModel | undefined): boolean {
  if (model?.thinkingBinding === false) return false;
  const members = model === undefined ? ['thinking'] : undefined;
  return turnsReasoningOn(tape, members) || carriesSignedReasoning(tape);
}
