import type { CatalogModel } from '@gateway/model-catalog';
import type { JsonTape } from '@gateway/wire-formats';
import { carriesSignedReasoning, turnsReasoningOn } from '../../../../request/request-facts.ts';

/**
 * Whether a session's context may be changed at all. Where the model binds its signed thinking to every earlier message, not
 * once the client turns thinking on. A conversation that carries signed or encrypted reasoning may be bound, unless the
 * catalogue knows that this model's is not.
 */
export function mayCompressContext(tape: JsonTape, model: CatalogModel | undefined): boolean {
  if (model?.thinkingBinding === true && turnsReasoningOn(tape)) return false;
  const isKnownFree = model !== undefined && !model.thinkingBinding;
  return isKnownFree || !carriesSignedReasoning(tape);
}
