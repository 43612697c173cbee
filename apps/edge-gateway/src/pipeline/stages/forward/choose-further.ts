import { setTimeout as waitMs } from 'node:timers/promises';
import { chooseBackoffMs } from '../../../backends/retry-budget.ts';
import type { RetryBudget } from '../../../backends/retry-budget.ts';
import type { ConnectionServices } from '../../../connections/open-connection.ts';
import type { ResilienceMetrics } from '../../../metrics/edge-metrics.ts';
import type { Caller, Target } from '../../../request/request.ts';
import { hasLeft, type Exchange } from '../../exchange/exchange.ts';
import type { PipelineSettings } from '../../../request/settings.ts';
import { chooseNext, chooseRepeat, type Candidate, type Repeat } from './candidates.ts';

export type FurtherServices = ConnectionServices & {
  readonly retryBudget: RetryBudget;
  readonly resilience: Pick<ResilienceMetrics, 'retries' | 'retryBudgetExhausted'>;
  readonly settings: Pick<PipelineSettings, 'retriesMax' | 'retryAfterMsMax'>;
};

/**
 * Who is called after a call has failed: whoever was not called yet; else the same again, after a pause, if that may help.
 * Undefined when there is nobody, or nothing left of the budget. A pause ends early when the client leaves.
 */
export async function chooseFurther(
  target: Target,
  exchange: Exchange,
  caller: Caller,
  services: FurtherServices,
): Promise<Candidate | undefined> {
  const { tries, response } = exchange;
  if (response.headersSent || hasLeft(exchange)) return undefined;
  const next = await chooseNext(target, caller, tries, services);
  const repeat = next === undefined ? await planRepeat(target, exchange, caller, services) : undefined;
  const further = next ?? repeat?.candidate;
  if (further === undefined) return undefined;
  if (!services.retryBudget.takeExtra(caller.accountId)) {
    services.resilience.retryBudgetExhausted.inc();
    return undefined;
  }
  if (repeat !== undefined) {
    tries.repeats += 1;
    await waitMs(repeat.waitMs, undefined, { signal: exchange.abort.signal });
  }
  services.resilience.retries.inc({ kind: kindOf(further, target, repeat) });
  return further;
}

function kindOf(
  further: Candidate,
  target: Target,
  repeat: Repeat | undefined,
): 'same' | 'credential' | 'fallback' {
  if (repeat !== undefined) return 'same';
  return further.target === target ? 'credential' : 'fallback';
}

/** The same call again, not before the provider wants it. Who asks for a long pause is not waited for. */
async function planRepeat(
  target: Target,
  { tries }: Exchange,
  caller: Caller,
  services: FurtherServices,
): Promise<Repeat | undefined> {
  const { retriesMax, retryAfterMsMax } = services.settings;
  if (tries.repeats >= retriesMax) return undefined;
  const repeat = await chooseRepeat(target, caller, tries, services);
  if (repeat === undefined || repeat.waitMs > retryAfterMsMax) return undefined;
  return { ...repeat, waitMs: repeat.waitMs + chooseBackoffMs(tries.repeats + 1) };
}
