import type { ModelCatalog } from '@gateway/model-catalog';
import { formatNamed } from '@gateway/wire-formats';
import type { Caller, ParsedRequest, Target } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { acceptsRecoveryTool } from '../../recovery/build-recovery.ts';
import { noContextEdits, type ContextEdits } from '../../exchange/tool-plan.ts';
import type { ContextPlanner } from './context/context-planner.ts';
import { listCandidates } from './context/context-subject.ts';
import { mayCompressContext } from './context/may-compress.ts';
import { priceContext } from './context/price-context.ts';

interface ContextServices {
  readonly context: ContextPlanner;
  readonly catalog: ModelCatalog;
}

/** How the conversation goes out: as it came, where nothing may be done or there is nothing to do. */
export async function planContext(
  request: ParsedRequest,
  target: Target,
  exchange: Exchange,
  caller: Caller,
  { context, catalog }: ContextServices,
  signal: AbortSignal,
): Promise<ContextEdits> {
  const { tape, outline } = request;
  const { accountId, compression } = caller;
  const { mode } = compression;
  if (mode === 'off') return noContextEdits;
  const candidates = listCandidates(outline);
  const isRecallable = wantsRecall(caller);
  const canAsk = isRecallable && acceptsRecoveryTool(request);
  if (candidates.length === 0 && !canAsk) return noContextEdits;
  const model = catalog.find(target.provider.name, target.model);
  if (!mayCompressContext(tape, model)) return noContextEdits;
  if (candidates.length === 0) return { ...noContextEdits, recall: () => Promise.resolve(null) };
  const planned = await context.plan(
    {
      format: formatNamed(exchange.format),
      tape,
      outline,
      candidates,
      requestId: exchange.requestId,
      left: exchange.abort.signal,
      accountId,
      settings: { mode, recoverable: canAsk },
      isRecallable,
      model,
    },
    signal,
  );
  exchange.contextPrice = priceContext(model, planned.tokens);
  return canAsk ? planned : { ...planned, recall: null };
}

/** Whether the account lets its models ask for what was left out, by a tool of the gateway's own in the list. */
function wantsRecall({ compression, pruning }: Caller): boolean {
  return compression.mode === 'balanced' && pruning.recovery && pruning.mode !== 'off';
}
