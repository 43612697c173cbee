import type { ChatAnswer, JsonObject } from '@gateway/interchange';
import type { AnswerDefaults } from '../../common/format.ts';
import { own } from '../shared/settings.ts';
import {
  isShown,
  nameItem,
  renderCallSignature,
  renderItem,
  renderStatus,
  renderUsage,
  type ShownPart,
} from './render-items.ts';

/**
 * The fields that every response must have. The SDKs expect the request's settings in a response. Responses
 * from providers that use other formats contain no settings, so default values are returned.
 */
export function renderHead({ id, model, createdAt }: AnswerDefaults): JsonObject {
  return {
    ...{ id, object: 'response', created_at: createdAt, model, error: null, incomplete_details: null },
    ...{ instructions: null, metadata: {}, output: [], parallel_tool_calls: true, temperature: null },
    ...{ tool_choice: 'auto', tools: [], top_p: null, usage: null },
  };
}

const idPrefix = 'resp_';

/**
 * The id of a response in the form of the Responses API. Ids of providers with this API are unchanged, because the
 * provider must know the id later. Other ids get the prefix that clients expect.
 */
export function renderId(id: string, isOwnFormat: boolean): string {
  return isOwnFormat || id.startsWith(idPrefix) ? id : `${idPrefix}${id}`;
}

/**
 * Renders a non-streaming response. The responses format has only one choice, so only the first choice is
 * rendered.
 */
export function renderResponse(answer: ChatAnswer, defaults: AnswerDefaults): JsonObject {
  const { usage: rawUsage, ...members } = own.read(answer);
  const id = renderId(answer.id ?? defaults.id, answer.format === 'responses');
  const head = {
    id,
    model: answer.model ?? defaults.model,
    createdAt: answer.createdAt ?? defaults.createdAt,
  };
  const [choice] = answer.choices;
  const parts = (choice?.parts ?? []).filter(isShown);
  return {
    ...renderHead(head),
    ...members,
    ...renderStatus(choice?.finishReason),
    output: renderOutput(parts, id),
    usage: answer.usage === undefined ? null : (rawUsage ?? renderUsage(answer.usage)),
  };
}

function renderOutput(parts: readonly ShownPart[], responseId: string): JsonObject[] {
  const output: JsonObject[] = [];
  for (const part of parts) {
    const signature = part.type === 'tool-call' ? part.signature : undefined;
    const carrier = renderCallSignature(signature, nameItem({ type: 'thinking' }, responseId, output.length));
    if (carrier !== undefined) output.push(carrier);
    output.push(renderItem(part, nameItem(part, responseId, output.length), 'completed'));
  }
  return output;
}

const sequenceField = Buffer.from('"sequence_number":');

/**
 * Reads an event's sequence number. Text in the frame cannot be mistaken for the field, because quotes in
 * text are escaped. Returns 0 if the frame contains no sequence number.
 */
export function readSequence(frame: Uint8Array): number {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  const start = bytes.lastIndexOf(sequenceField);
  if (start < 0) return 0;
  const at = start + sequenceField.length;
  const digits = /^ *(\d{1,15})/.exec(bytes.toString('latin1', at, at + 20))?.[1];
  return digits === undefined ? 0 : Number(digits);
}
