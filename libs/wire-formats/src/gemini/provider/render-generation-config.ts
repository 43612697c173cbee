import type { ChatRequest, ChatSettings, JsonObject, ResponseFormat } from '@gateway/interchange';
import { asObject, optional } from '../../json/read-members.ts';
import { numberSettings } from '../generation-table.ts';
import { readRest, readSpelling } from '../own.ts';
import { isPlainSchema } from '../schema.ts';
import type { RenderContext } from './render-context.ts';
import { renderThinking } from './render-thinking.ts';

/** The member `generationConfig`. */
export function renderGenerationConfig(request: ChatRequest, context: RenderContext): JsonObject {
  const { settings } = request;
  const spelling = readSpelling(request);
  const config: Record<string, unknown> = {};
  for (const [member, name] of numberSettings) {
    if (settings[name] !== undefined) config[member] = settings[name];
  }
  loseSettings(settings, context);
  return optional('generationConfig', {
    ...asObject(readRest(request).generationConfig),
    ...config,
    ...optional('stopSequences', settings.stopSequences),
    ...(asObject(spelling.responseFormat) ?? renderResponseFormat(settings.responseFormat)),
    ...optional('thinkingConfig', asObject(spelling.thinkingConfig) ?? renderThinking(settings, context)),
  });
}

function renderResponseFormat(format: ResponseFormat | undefined): JsonObject {
  if (format === undefined || format.type === 'text') return {};
  const responseMimeType = 'application/json';
  if (format.type === 'json') return { responseMimeType };
  const { description } = format;
  const schema = asObject(format.schema) ?? {};
  const described = description === undefined ? schema : { description, ...schema };
  return isPlainSchema(described)
    ? { responseMimeType, responseSchema: described }
    : { responseMimeType, responseJsonSchema: described };
}

function loseSettings(settings: ChatSettings, context: RenderContext): void {
  if (settings.parallelToolCalls === false)
    context.lose('parallel_tool_calls', 'the format cannot forbid parallel calls');
  if (settings.endUser !== undefined) context.lose('user', 'the format has no such member');
}
