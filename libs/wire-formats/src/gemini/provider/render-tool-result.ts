import type { ChatPart, JsonObject, ToolResultPart } from '@gateway/interchange';
import { asObject, asText, optional } from '../../json/read-members.ts';
import { renderCallId } from '../call-id.ts';
import { readRest, readSpelling } from '../own.ts';
import type { RenderContext } from './render-context.ts';
import { renderMedia } from './render-media.ts';

/** From this generation on a function may answer in images and documents. */
const shownResultsSince = 3;

/** What came of a call, by the function's name; before Gemini 3 its images follow as parts of their own. */
export function renderToolResult(part: ToolResultPart, field: string, context: RenderContext): JsonObject[] {
  const spelling = readSpelling(part);
  const name = asText(spelling.name) ?? context.calledNames.get(part.callId);
  if (name === undefined) context.lose(`${field}.name`, 'no call of that id: sent under the id');
  const shown = part.parts.flatMap((each, index) => renderShown(each, `${field}.parts[${index}]`, context));
  const { functionResponse, ...rest } = readRest(part);
  const isInside = context.isOwnFormat || context.generation >= shownResultsSince;
  const response = asObject(spelling.response) ?? {
    [part.isError === true ? 'error' : 'output']: joinTexts(part),
  };
  const answer = {
    ...(spelling.id === undefined ? renderCallId(part.callId) : optional('id', spelling.id)),
    name: name ?? part.callId,
    response,
    ...(isInside && shown.length > 0 ? { parts: shown } : {}),
    ...asObject(functionResponse),
  };
  return [{ functionResponse: answer, ...rest }, ...(isInside ? [] : shown)];
}

function joinTexts(part: ToolResultPart): string {
  return part.parts.flatMap((each) => (each.type === 'text' ? [each.text] : [])).join('\n');
}

function renderShown(part: ChatPart, field: string, context: RenderContext): JsonObject[] {
  switch (part.type) {
    case 'text':
      return [];
    case 'image':
    case 'document':
    case 'audio':
      return renderMedia(part, field, context);
    default: {
      const { part: raw } = readRest(part);
      if (raw === undefined) context.lose(`${field}.${part.type}`, 'the format has no such part in a result');
      return raw === undefined ? [] : [raw as JsonObject];
    }
  }
}
