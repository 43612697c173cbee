import type { ChatMessage, ChatRequest, JsonObject } from '@gateway/interchange';
import { chatCompletions } from '../../chat-completions/chat-completions.ts';
import type { RequestRenderOptions } from '../../common/format.ts';
import { formatNamed } from '../../formats.ts';
import { scanJson } from '../../json/scan-json.ts';
import type { messages } from '../messages.ts';

export interface Rendered {
  readonly body: JsonObject;
  readonly fields: readonly string[];
}

export function render(request: ChatRequest, options: Partial<RequestRenderOptions> = {}): Rendered {
  const { body, losses } = formatNamed('messages').provider.renderRequest(request, {
    model: 'claude',
    ...options,
  });
  return {
    body: JSON.parse(JSON.stringify(body)) as JsonObject,
    fields: losses.map(({ field }) => field),
  };
}

export const parse = (format: typeof messages, body: object | string): ChatRequest =>
  format.client.parseRequest(
    scanJson(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), { depthMax: 128 }),
  );
export const fromChat = (body: object, options: Partial<RequestRenderOptions> = {}): Rendered =>
  render(
    parse(chatCompletions, { model: 'm', messages: [{ role: 'user', content: 'x' }], ...body }),
    options,
  );
export const say = (message: ChatMessage, options?: Partial<RequestRenderOptions>): Rendered =>
  render(
    {
      model: 'm',
      messages: [message],
      tools: [],
      toolChoice: { mode: 'unset' },
      settings: {},
      stream: false,
      streamsUsage: false,
    },
    options,
  );
