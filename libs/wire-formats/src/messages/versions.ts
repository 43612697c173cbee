import type { ChatMessage, ChatRequest } from '@gateway/interchange';

/** Values of the header `anthropic-version`. */
export const messagesVersions = ['2023-06-01', '2026-10-21'] as const;
export type MessagesVersion = (typeof messagesVersions)[number];

/**
 * The version that takes all that a translated request says: the newest, unless it says what that one refuses (sampling
 * settings, documents in assistant turns, citations in user turns; Anthropic, "Versions", 2026-10-21). Whoever knows
 * that the model takes no sampling settings asks for the newest anyway, and they become losses.
 */
export function chooseMessagesVersion({ settings, messages }: ChatRequest): MessagesVersion {
  const isSampled = [settings.temperature, settings.topP, settings.topK].some((value) => value !== undefined);
  return isSampled || messages.some(saysWhatIsGone) ? '2023-06-01' : '2026-10-21';
}

function saysWhatIsGone({ role, parts }: ChatMessage): boolean {
  return parts.some((part) =>
    role === 'assistant'
      ? part.type === 'document'
      : part.type === 'text' && part.citations !== undefined && part.citations.length > 0,
  );
}
