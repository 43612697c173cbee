import type { RequestEventV1 } from '@gateway/contracts';
import { isServed } from '@gateway/contracts';
import type { ModelCatalog } from '@gateway/model-catalog';
import type { Exchange } from '../../exchange/exchange.ts';
import { sumSavedTokens, type LeftOutTools } from '../../exchange/left-out-tools.ts';
import { priceSavings } from './price-request.ts';
import { findModel } from './render-record.ts';

/**
 * Adds the measured savings to a usage event, and calculates their value in USD. Returns a promise only if the
 * tokens of a tool definition are still being counted. The promise never rejects.
 */
export function addSavings(
  event: RequestEventV1,
  exchange: Exchange,
  catalog: ModelCatalog,
): RequestEventV1 | Promise<RequestEventV1> {
  const leftOut = findLeftOut(exchange);
  if (leftOut === undefined || !isServed(event)) {
    event.toolTokensSaved = 0;
    return addPrices(event, exchange, catalog);
  }
  const reached = new Set([...(exchange.rounds?.reached ?? []), ...event.recoveredTools]);
  const add = (counts: Awaited<LeftOutTools['counts']>): RequestEventV1 => {
    event.toolTokensSaved = sumSavedTokens(leftOut, counts, reached);
    return addPrices(event, exchange, catalog);
  };
  return leftOut.counts instanceof Promise ? leftOut.counts.then(add) : add(leftOut.counts);
}

/**
 * Returns the tools that the plan left out. If the last request included every tool, it had no recovery
 * tool.
 */
function findLeftOut({ leftOut, rounds }: Exchange): LeftOutTools | undefined {
  if (leftOut === undefined || rounds?.hasEveryTool !== true) return leftOut;
  return { ...leftOut, hasRecoveryTool: false };
}

function addPrices(event: RequestEventV1, exchange: Exchange, catalog: ModelCatalog): RequestEventV1 {
  if (event.usage === null) return event;
  const savings = priceSavings(event, {
    model: findModel(event, catalog),
    usage: event.usage,
    rounds: exchange.rounds?.usages ?? [],
    hasEveryTool: exchange.rounds?.hasEveryTool ?? false,
    contextRewrittenUsd: exchange.ledger.context?.rewrittenUsd ?? 0,
    isMarked: (exchange.attempts.current?.cacheMarkers ?? 0) > 0,
    at: exchange.acceptedAt.getTime(),
  });
  event.providerSavingsUsd = savings?.netUsd ?? null;
  event.grossSavingsUsd = savings?.grossUsd ?? null;
  return event;
}
