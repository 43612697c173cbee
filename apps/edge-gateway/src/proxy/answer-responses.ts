import { GatewayError, invalidField } from '@gateway/errors';
import type { ModelCatalog } from '@gateway/model-catalog';
import { formatsOf } from '@gateway/providers';
import type { RelayOutcome } from '../pipeline/exchange/answer.ts';
import type { Exchange } from '../pipeline/exchange/exchange.ts';
import { identityPlan } from '../pipeline/exchange/tool-plan.ts';
import { restrictTools } from '../pipeline/restrict-tools.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { choose } from '../pipeline/stages/choose/choose.ts';
import { parseNamedModel } from '../pipeline/stages/choose/choose-target.ts';
import { forward } from '../pipeline/stages/forward/forward.ts';
import { parseBytes } from '../pipeline/stages/parse/parse.ts';
import { relay } from '../pipeline/stages/relay/relay.ts';
import { validate } from '../pipeline/stages/validate/validate.ts';
import type { Caller } from '../request/request.ts';
import type { HeldBody } from './held-body.ts';
import { chooseProxyTarget, type WantedProxy } from './proxy-target.ts';

/** Whether the provider has chat models but no Responses API. */
export function needsTranslation(wanted: WantedProxy, catalog: ModelCatalog): boolean {
  const named = parseNamedModel(wanted.model);
  if (named !== undefined && formatsOf(named.provider).length === 0) return false;
  try {
    chooseProxyTarget(wanted, catalog);
    return false;
  } catch (error) {
    return error instanceof GatewayError && error.code === 'endpoint_not_supported';
  }
}

/**
 * Serves a Responses API request through a provider that uses any chat format. A translated Responses API
 * request is handled like a chat request, but without planning, so tools and conversation are sent unchanged.
 * @throws GatewayError of any pipeline step, or `invalid_field` for a request that continues a stored
 * response or has two models
 */
export async function answerResponses(
  body: Pick<HeldBody, 'place' | 'holdAll'>,
  recording: { readonly accepted: () => Promise<void> },
  exchange: Exchange,
  caller: Caller,
  services: PipelineServices,
): Promise<RelayOutcome> {
  const parsed = await parseBytes(await body.holdAll(), exchange, services.knownBodies);
  // The first `model` field determined whether the request is translated or goes to the provider's own Responses API.
  if (parsed.outline.model !== body.place.model) throw invalidField('model', 'sent only once');
  exchange.contents?.read(parsed);
  const request = restrictTools(parsed, exchange, caller);
  const target = await choose(request, exchange, caller, services);
  const tools = request.outline.tools.map(({ index }) => index);
  const planned = identityPlan(tools, tools.length === 0 ? null : 'off');
  const outbound = validate(request, target, planned, exchange, caller, services);
  exchange.prompt = { request, edits: outbound.edits };
  await recording.accepted();
  let outcome: RelayOutcome | undefined;
  do {
    const answer = await forward(outbound, target, exchange, caller, services);
    outcome = await relay(answer, answer.target, exchange, services, null).catch(answer.giveUp);
  } while (outcome === undefined);
  return outcome;
}
