import type { ChatPart } from './chat-part.ts';
import type { Extensions } from './extensions.ts';
import type { MessageRole } from './request-outline.ts';

/** One turn of a conversation. System messages stand where the client put them. */
export interface ChatMessage {
  readonly role: MessageRole;
  readonly parts: readonly ChatPart[];
  readonly extensions?: Extensions;
}
