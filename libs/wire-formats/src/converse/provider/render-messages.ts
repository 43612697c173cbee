import type { ChatMessage, ChatPart, JsonObject, Loss } from '@gateway/interchange';
import { isBlank, renderContent, type BlockContext } from '../blocks/render-block.ts';
import { createDocumentNames } from '../blocks/render-media.ts';
import { own } from '../own.ts';

export interface RenderedMessages {
  readonly system: readonly JsonObject[];
  readonly messages: readonly JsonObject[];
}

interface Turn {
  readonly role: string;
  readonly members: JsonObject;
  readonly content: JsonObject[];
}

/**
 * The conversation in this format: what speaks for the system stands apart, results stand in the user's turn, and turns
 * alternate, so neighbours of one role become one. A turn that says nothing is left out: the API refuses it.
 */
export function renderMessages(messages: readonly ChatMessage[], losses: Loss[]): RenderedMessages {
  const system: JsonObject[] = [];
  const turns: Turn[] = [];
  const nameDocument = createDocumentNames();
  messages.forEach((message, index) => {
    const { spelling, ...members } = own.read(message);
    const context: BlockContext = { losses, nameDocument, field: `messages[${index}]` };
    const isApart = spelling === 'apart';
    if (message.role === 'system' && !isApart) {
      if (turns.length > 0) {
        losses.push({ field: context.field, reason: 'the system speaks before the conversation alone' });
      }
      system.push(...renderContent(message.parts.filter(isSpoken), context));
      return;
    }
    const role = message.role === 'tool' ? 'user' : message.role;
    const content = renderContent(message.parts.filter(isSpoken), context);
    const last = turns.at(-1);
    if (last?.role === role && !isApart) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, members, content });
  });
  return { system, messages: turns.map(({ role, members, content }) => ({ role, content, ...members })) };
}

function isSpoken(part: ChatPart): boolean {
  return !isBlank(part);
}
