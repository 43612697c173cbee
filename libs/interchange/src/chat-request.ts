import type { ChatMessage } from './chat-message.ts';
import type { ChatSettings } from './chat-settings.ts';
import type { ChatTool } from './chat-tool.ts';
import type { Extensions } from './extensions.ts';
import type { ToolChoice } from './request-outline.ts';

/** A whole chat request, in no format: what the translated lane carries. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly toolChoice: ToolChoice;
  readonly settings: ChatSettings;
  readonly stream: boolean;
  /** Whether a streamed answer is to tell its usage; a plain one always does. */
  readonly streamsUsage: boolean;
  readonly extensions?: Extensions;
}
