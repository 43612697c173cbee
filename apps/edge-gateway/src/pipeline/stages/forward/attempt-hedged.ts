import { withTimeout } from '@gateway/observability';
import { adoptBranch, branchExchange } from '../../exchange/branch-exchange.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { PipelineSettings } from '../../../request/settings.ts';
import { chooseBeside, type Candidate } from './candidates.ts';
import type { FurtherServices } from './choose-further.ts';
import type { Made, Quest } from './quest.ts';

export type HedgeServices = FurtherServices & { readonly settings: Pick<PipelineSettings, 'hedgeAfterMs'> };

/** Makes one call of a quest. */
type MakeCall = (quest: Quest, candidate: Candidate) => Promise<Made>;

interface Run {
  readonly candidate: Candidate;
  readonly exchange: Exchange;
  readonly made: Promise<Made>;
}

/** Whether a second call may be made beside the first: nothing is done twice by that, and nothing has gone wrong yet. */
export function mayHedge({ isHedgeable, exchange }: Quest, { settings }: HedgeServices): boolean {
  return settings.hedgeAfterMs > 0 && isHedgeable === true && exchange.tries.calls === 0;
}

/**
 * A call, and a second one beside it where it stays silent for long: at somebody else who is ready, out of the retry
 * budget. The first answer that a client wants is taken, and the other call is ended; what it may have cost is noted.
 */
export async function attemptHedged(
  quest: Quest,
  candidate: Candidate,
  services: HedgeServices,
  makeCall: MakeCall,
): Promise<Made> {
  const first = run(quest, candidate, quest.exchange, makeCall);
  const isSlow = await outlasts(first, services.settings.hedgeAfterMs);
  // The first call is under way: nothing that goes wrong here may keep it from being heard.
  const other = isSlow ? await chooseOther(quest, first, services).catch(() => undefined) : undefined;
  if (other === undefined) return first.made.finally(() => adoptBranch(quest.exchange, first.exchange));
  services.resilience.retries.inc({ kind: 'hedge' });
  const second = run(quest, other, first.exchange, makeCall);
  const chosen = await firstGood(first, second);
  abandon(chosen === first ? second : first);
  adoptBranch(quest.exchange, chosen.exchange);
  const { headers, tries } = quest.exchange;
  headers['x-svc-attempts'] = String(tries.calls);
  return chosen.made;
}

function run(quest: Quest, candidate: Candidate, noted: Exchange, makeCall: MakeCall): Run {
  const exchange = branchExchange(quest.exchange, noted);
  const made = makeCall({ ...quest, exchange }, candidate);
  // Awaited by whoever needs it: until then a rejection must not count as unheard.
  made.catch(() => undefined);
  return { candidate, exchange, made };
}

function outlasts({ made }: Run, ms: number): Promise<boolean> {
  const over = () => false;
  return withTimeout(made.then(over, over), ms, true);
}

/** Somebody ready at another backend, if the budget has a call left. */
async function chooseOther(
  { target, exchange, caller }: Quest,
  { candidate }: Run,
  services: HedgeServices,
): Promise<Candidate | undefined> {
  const other = await chooseBeside(candidate, target, caller, exchange.tries, services);
  if (other === undefined || other.connection.backend.state() !== 'ready') return undefined;
  if (exchange.abort.signal.aborted || !services.retryBudget.takeExtra(caller.accountId)) return undefined;
  return other;
}

/** The first of them that is answered well; the one that went out first, when neither is. */
function firstGood(first: Run, second: Run): Promise<Run> {
  return new Promise((resolve) => {
    let open = 2;
    const hear = (run: Run, isGood: boolean): void => {
      open -= 1;
      if (isGood) resolve(run);
      else if (open === 0) resolve(first);
    };
    for (const each of [first, second]) {
      each.made.then(
        ({ failure }) => hear(each, failure === undefined),
        () => hear(each, false),
      );
    }
  });
}

/** Its provider is told to stop; what it has read by then it will bill. */
function abandon({ candidate: { target }, exchange, made }: Run): void {
  const { tries, outboundBytes, providerCall } = exchange;
  const hasFailed = tries.failed.some(
    ({ backend, model }) => backend.name.provider === target.provider.name && model === target.model,
  );
  if (!hasFailed) {
    tries.abandoned.push({ provider: target.provider.name, model: target.model, bytes: outboundBytes });
  }
  exchange.abort.abort();
  providerCall?.setAttribute('gateway.call.abandoned', true);
  providerCall?.end();
  made.then(
    ({ answer }) => answer?.body.discard(),
    () => undefined,
  );
}
