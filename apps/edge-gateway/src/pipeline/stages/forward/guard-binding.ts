import type { Logger } from '@gateway/observability';
import { bindsReasoning, type ModelCatalog } from '@gateway/model-catalog';
import { dropBoundReasoning } from '@gateway/wire-formats';
import type { EdgeMetrics } from '../../../metrics/edge-metrics.ts';
import type { Target } from '../../../request/request.ts';
import { passOver, peekError } from '../../../upstream/answer-body.ts';
import type { ChatAnswer } from '../../exchange/answer.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { BoundPlan, Outbound } from '../../exchange/tool-plan.ts';

/**
 * The parts of a provider request that this file uses. The function `betaFor` returns the beta flag that a target
 * needs in addition to the client's beta flags.
 */
export type SentRequest = Pick<
  Outbound,
  'body' | 'edited' | 'bodyFor' | 'added' | 'conversation' | 'betaFor'
>;

export interface GuardServices {
  readonly metrics: Pick<EdgeMetrics, 'boundRejections'>;
  readonly catalog: Pick<ModelCatalog, 'find'>;
  readonly log: Logger;
}

/**
 * A part of Anthropic's error text if the prompt before the reasoning has changed. Some clients also search for it.
 */
const bindingError = 'bound to a different conversation';

/**
 * Sends a request of a conversation with bound reasoning. If the provider rejects the bound reasoning, a change by
 * the gateway may be the cause. The gateway then retries the request with `drop_block`, so that the provider drops
 * reasoning that does not match. Later requests of the conversation also use `drop_block`. The client's own setting
 * always takes precedence. Errors that do not concern bound reasoning are relayed unchanged.
 */
export async function sendBound(
  outbound: Outbound,
  bound: BoundPlan,
  target: Target,
  exchange: Exchange,
  send: (request: SentRequest) => Promise<ChatAnswer>,
  services: GuardServices,
): Promise<ChatAnswer> {
  const dropping = bound.dropsBlocks ? withDrops(outbound, target, services) : null;
  const answer = await send(dropping ?? outbound);
  if (answer.status !== 400 || dropping !== null) return answer;
  const { bytes, body } = await peekError(answer.body);
  const own = { ...answer, body };
  if (!bytes.includes(bindingError))
    return sendUnloaded(outbound, bound, target, exchange, own, send, services);
  const request = bound.mayBeOurs ? withDrops(outbound, target, services) : null;
  if (request === null) {
    services.metrics.boundRejections.inc({ outcome: 'relayed' });
    return own;
  }
  exchange.attempts.current?.span?.end();
  const again = await send(request);
  const outcome = again.status < 400 ? 'dropped' : 'failed';
  services.metrics.boundRejections.inc({ outcome });
  const { requestId } = exchange;
  services.log.error(
    { requestId, provider: target.provider.name, model: target.model, outcome },
    'provider rejected bound reasoning after a change by the gateway, sent again without it',
  );
  if (outcome === 'dropped') bound.remember();
  return again;
}

/**
 * Retries a request without the messages that load tools. The provider may have rejected the conversation's first
 * message that loads tools. If the provider accepts the repeated request, the conversation loads no tools.
 */
async function sendUnloaded(
  { unloadedBodyFor, added, conversation }: Outbound,
  { withdraw }: BoundPlan,
  target: Target,
  exchange: Exchange,
  rejected: ChatAnswer,
  send: (request: SentRequest) => Promise<ChatAnswer>,
  { log }: GuardServices,
): Promise<ChatAnswer> {
  if (unloadedBodyFor === undefined || withdraw === undefined) return rejected;
  passOver(rejected.body);
  exchange.attempts.current?.span?.end();
  const { requestId } = exchange;
  log.warn(
    { requestId, model: target.model },
    'provider rejected loaded tools, sending the turn without them',
  );
  const again = await send({
    ...{ body: unloadedBodyFor(target), bodyFor: unloadedBodyFor, added, conversation },
  });
  if (again.status >= 400) return again;
  await withdraw().catch((error: unknown) => {
    log.warn({ err: error, requestId }, 'plan of a bound conversation not replaced');
  });
  return again;
}

/**
 * Returns the request with `drop_block` set. Returns null if the client sets `drop_block` itself, or uses a type of
 * reasoning that does not accept the setting. For a fallback, the function sets `drop_block` only if the model
 * rejects bound reasoning. Some other models reject requests with `drop_block`.
 */
function withDrops(
  { body, bodyFor, betaFor, added, conversation }: Outbound,
  { lane }: Target,
  { catalog }: GuardServices,
): SentRequest | null {
  if (lane.kind !== 'same-format') return null;
  const dropped = dropBoundReasoning(lane.format, body);
  if (dropped === null) return null;
  const takesSetting = ({ lane: other, provider, model }: Target): boolean =>
    other.kind === 'same-format' &&
    bindsReasoning(catalog.find(provider.name, model), model).effect === 'rejects';
  return {
    body: dropped.body,
    bodyFor: (other) => {
      const rendered = bodyFor(other);
      if (!takesSetting(other)) return rendered;
      return dropBoundReasoning(other.lane.format, rendered)?.body ?? rendered;
    },
    betaFor: (other) => {
      const betas = [betaFor?.(other) ?? [], (takesSetting(other) ? dropped.beta : undefined) ?? []].flat();
      return betas.length === 0 ? undefined : betas.join(',');
    },
    added,
    conversation,
  };
}
