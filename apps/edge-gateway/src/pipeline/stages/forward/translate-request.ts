import { GatewayError } from '@gateway/errors';
import type { ChatMessage, ChatRequest, Loss } from '@gateway/interchange';
import type { ModelCatalog } from '@gateway/model-catalog';
import {
  formatNamed,
  nameTools,
  providerFormatNamed,
  scanJson,
  type RequestRenderOptions,
} from '@gateway/wire-formats';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Target } from '../../../request/request.ts';

/** A request in the provider's format, and what of the client's it could not carry. */
export interface Translated {
  readonly body: Uint8Array;
  readonly losses: readonly Loss[];
  /** The version of the provider's API that the body is written for, where there are several. */
  readonly apiVersion: string | undefined;
}

/** What a model may say where neither the client nor the catalogue has a word on it, and the format wants one. */
const outputTokensDefault = 4096;

/**
 * The client's request, as planned, in another format. It starts from the edited bytes, so that tools were pruned and
 * extension fields taken out in one place for all lanes. Turns that the gateway adds come as they are, so that what one
 * provider alone knows of its own words (a signature) comes back to it whatever the client's format.
 * @throws GatewayError `translation_loss` when the client is strict and something is lost.
 */
export function translateRequest(
  body: Uint8Array,
  added: readonly ChatMessage[],
  target: Target,
  exchange: Exchange,
  catalog: ModelCatalog,
): Translated {
  const tape = scanJson(body, { depthMax: 128 });
  const said = formatNamed(exchange.format).client.parseRequest(tape, exchange.route);
  const { provider } = providerFormatNamed(target.lane.format);
  const whole = { ...said, messages: [...said.messages, ...added] };
  const { request, meant } = nameTools(whole, provider.toolNamePattern);
  exchange.streamsUsage = request.streamsUsage;
  exchange.toolNames = meant;
  const options = renderOptions(request, target, catalog);
  const rendered = provider.renderRequest(request, options);
  if (rendered.losses.length > 0) noteLosses(rendered.losses, target, exchange);
  return {
    body: Buffer.from(JSON.stringify(rendered.body)),
    losses: rendered.losses,
    apiVersion: options.apiVersion,
  };
}

function renderOptions(request: ChatRequest, target: Target, catalog: ModelCatalog): RequestRenderOptions {
  const model = catalog.find(target.provider.name, target.model);
  const apiVersion = providerFormatNamed(target.lane.format).provider.chooseApiVersion?.(request);
  return {
    model: target.model,
    maxOutputTokensDefault: model?.maxOutputTokens ?? outputTokensDefault,
    ...(apiVersion === undefined ? {} : { apiVersion }),
  };
}

/** Header values are ASCII, and short. */
const lossesCharactersMax = 1000;

function noteLosses(losses: readonly Loss[], target: Target, exchange: Exchange): void {
  exchange.ledger.losses = losses.slice(0, 64);
  const fields = [...new Set(losses.map(({ field }) => field))].join(', ').replace(/[^\x20-\x7e]/g, '?');
  exchange.headers['x-svc-losses'] = fields.slice(0, lossesCharactersMax);
  if (exchange.request.headers['x-svc-strict'] !== 'true') return;
  const [first] = losses;
  throw new GatewayError('translation_loss', {
    param: first?.field ?? '',
    message: `The provider ${target.provider.name} cannot be told all of this request: ${fields.slice(0, lossesCharactersMax)}.`,
  });
}
