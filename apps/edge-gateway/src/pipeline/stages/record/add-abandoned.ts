import type { RequestEventV1 } from '@gateway/contracts';
import { costUsd, type ModelCatalog } from '@gateway/model-catalog';
import { charactersPerToken } from '../../../request/token-estimates.ts';
import type { AbandonedCall, Tries } from '../../exchange/tries.ts';

type Usage = NonNullable<RequestEventV1['usage']>;

const tokensOf = ({ bytes }: AbandonedCall): number => Math.ceil(bytes / charactersPerToken);

/** With what calls read that were ended for another one's answer: estimated, since nobody tells it of them. */
export function addAbandonedTokens(usage: Usage, { abandoned }: Pick<Tries, 'abandoned'>): Usage {
  if (abandoned.length === 0) return usage;
  const tokens = abandoned.reduce((sum, call) => sum + tokensOf(call), 0);
  return { ...usage, inputTokens: usage.inputTokens + tokens, estimated: true };
}

/** The same in money, each at its own model's price; null where a price is not known. */
export function addAbandonedCost(
  cost: number | null,
  { abandoned }: Pick<Tries, 'abandoned'>,
  catalog: ModelCatalog,
): number | null {
  return abandoned.reduce<number | null>((sum, call) => {
    const model = catalog.find(call.provider, call.model);
    const own = model ? costUsd(model, { inputTokens: tokensOf(call), outputTokens: 0 }) : null;
    return sum === null || own === null ? null : sum + own;
  }, cost);
}
