import type { ChatRequest, Loss } from '@gateway/interchange';
import type { RenderedRequest, RequestRenderOptions } from '../../common/format.ts';
import { findForeignLosses } from '../../common/foreign-losses.ts';
import { optional, otherMembers } from '../../json/read-members.ts';
import { readRest, readSpelling } from '../own.ts';
import { renderContents } from './render-contents.ts';
import { createRenderContext } from './render-context.ts';
import { renderGenerationConfig } from './render-generation-config.ts';
import { renderTools } from './render-tools.ts';

/** The request as this format's body, and what of it the format cannot say. Model and streaming are in the address. */
export function renderRequest(request: ChatRequest, { model }: RequestRenderOptions): RenderedRequest {
  const losses: Loss[] = [...findForeignLosses(request, 'gemini')];
  const context = createRenderContext(request, model, losses);
  const body = {
    ...otherMembers(readRest(request), ['generationConfig', 'toolConfig']),
    ...optional('model', readSpelling(request).model),
    ...renderContents(request.messages, context),
    ...renderTools(request, context),
    ...renderGenerationConfig(request, context),
  };
  return { body, losses };
}
