import type { ChatRequest, Loss } from '@gateway/interchange';
import type { RenderedRequest, RequestRenderOptions } from '../../common/format.ts';
import { findForeignLosses } from '../../common/foreign-losses.ts';
import { asList } from '../../json/read-members.ts';
import { readRest } from '../own.ts';
import type { RenderContext } from './render-context.ts';
import { renderMessage } from './render-message.ts';
import { renderSettings } from './render-settings.ts';
import { renderTools } from './render-tools.ts';

/** The request as this format's body, and what of it the format cannot say. */
export function renderRequest(request: ChatRequest, { model }: RequestRenderOptions): RenderedRequest {
  const losses: Loss[] = [...findForeignLosses(request, 'cohere')];
  const context: RenderContext = {
    lose: (field, reason) => losses.push({ field, reason }),
    documents: [],
  };
  const rest = readRest(request);
  const messages = request.messages.flatMap((message, index) => renderMessage(message, index, context));
  const documents = [...asList(rest.documents), ...context.documents];
  const body = {
    ...rest,
    model,
    messages,
    ...(documents.length === 0 ? {} : { documents }),
    ...renderSettings(request.settings, rest, context),
    ...renderTools(request, context),
    stream: request.stream,
  };
  return { body, losses };
}
