import type { ChatPart, Citation, ThinkingPart, ToolCallPart } from './chat-part.ts';
import type { Extensions, OwnExtensions } from './extensions.ts';
import { mergeExtensions } from './extensions.ts';
import type { FinishReason, MessageStart, StreamEvent, TokenUsage } from './stream-event.ts';
import type { ProviderFormat } from './request-outline.ts';

/**
 * A complete response in a format-independent form. A complete response contains the same information as all
 * of a stream's events together.
 */
export interface ChatAnswer {
  readonly id: string | undefined;
  readonly model: string | undefined;
  /** Creation time of the response as Unix time in seconds. */
  readonly createdAt: number | undefined;
  /** The format of the provider's response. */
  readonly format: ProviderFormat | undefined;
  /** The choices of the response, sorted by `index`, ascending. */
  readonly choices: readonly AnswerChoice[];
  readonly usage: TokenUsage | undefined;
  readonly extensions: Extensions;
}

export interface AnswerChoice {
  readonly index: number;
  /** The parts of a choice, in the order in which their blocks started. */
  readonly parts: readonly ChatPart[];
  readonly finishReason: FinishReason | undefined;
  /** The finish reason as the provider spells it. */
  readonly rawReason: string | undefined;
  /** Extension fields of the choice. */
  readonly extensions: Extensions;
  /** Extension fields of the message in the choice. */
  readonly messageExtensions: Extensions;
}

interface ChoiceDraft {
  readonly parts: Map<number, ChatPart>;
  finishReason: AnswerChoice['finishReason'];
  rawReason: string | undefined;
  readonly extensions: OwnExtensions;
  readonly messageExtensions: OwnExtensions;
}

interface AnswerDraft {
  start: MessageStart | undefined;
  usage: ChatAnswer['usage'];
  readonly extensions: OwnExtensions;
  readonly choices: Map<number, ChoiceDraft>;
}

/**
 * Builds a complete response in memory from its events. The provider's original
 * usage object becomes the `usage` field in the response's extensions.
 */
export function foldAnswer(events: Iterable<StreamEvent>): ChatAnswer {
  const draft: AnswerDraft = { start: undefined, usage: undefined, extensions: {}, choices: new Map() };
  for (const event of events) foldEvent(draft, event);
  return {
    id: draft.start?.id,
    model: draft.start?.model,
    createdAt: draft.start?.createdAt,
    format: draft.start?.format,
    usage: draft.usage,
    extensions: draft.extensions,
    choices: [...draft.choices]
      .sort(([one], [other]) => one - other)
      .map(([index, { parts, ...choice }]) => ({
        index,
        parts: [...parts].sort(([one], [other]) => one - other).map(([, part]) => part),
        ...choice,
      })),
  };
}

function foldEvent(draft: AnswerDraft, event: StreamEvent): void {
  switch (event.type) {
    case 'message-start':
      draft.start = event;
      return;
    case 'usage':
      draft.usage = event.usage;
      replaceUsage(draft.extensions, event.extensions ?? {});
      return;
    case 'extension':
      foldExtension(draft, event);
      return;
    case 'finish':
      Object.assign(choiceAt(draft, event.choice), {
        finishReason: event.reason,
        rawReason: event.rawReason,
      });
      return;
    case 'error':
    case 'message-end':
      return;
    default:
      foldBlock(choiceAt(draft, event.choice).parts, event);
  }
}

type BlockEvent = Extract<StreamEvent, { block: number }>;

function foldBlock(parts: Map<number, ChatPart>, event: BlockEvent): void {
  switch (event.type) {
    case 'text-start':
    case 'thinking-start':
    case 'refusal-start': {
      const type =
        event.type === 'text-start' ? 'text' : event.type === 'thinking-start' ? 'thinking' : 'refusal';
      parts.set(event.block, { type, text: '', ...withExtensions(event.extensions) });
      return;
    }
    case 'tool-call-start': {
      const { id, name, namespace, kind, signature } = event;
      const part: ToolCallPart = { type: 'tool-call', id, name, kind, argumentsText: '' };
      parts.set(event.block, {
        ...part,
        ...(namespace === undefined ? {} : { namespace }),
        ...(signature === undefined ? {} : { signature }),
        ...withExtensions(event.extensions),
      });
      return;
    }
    case 'part':
      parts.set(event.block, event.part);
      return;
    default:
      foldDelta(parts, event);
  }
}

function foldDelta(parts: Map<number, ChatPart>, event: BlockEvent): void {
  const part = parts.get(event.block);
  if (part === undefined) return;
  if ('text' in event && 'text' in part) {
    parts.set(event.block, { ...part, text: part.text + event.text });
  } else if (event.type === 'tool-call-delta' && part.type === 'tool-call') {
    parts.set(event.block, { ...part, argumentsText: part.argumentsText + event.argumentsText });
  } else if (event.type === 'thinking-end' && part.type === 'thinking') {
    const { signature, redacted, extensions } = event;
    const ended: ThinkingPart = {
      ...part,
      ...(signature === undefined ? {} : { signature }),
      ...(redacted === undefined ? {} : { redacted }),
      ...withExtensions(extensions),
    };
    parts.set(event.block, ended);
  } else if (event.type === 'citation' && part.type === 'text') {
    // Appends citations in place to the list in the draft.
    // Copying the list for each citation would take minutes for a long response.
    if (part.citations === undefined) parts.set(event.block, { ...part, citations: [event.citation] });
    else (part.citations as Citation[]).push(event.citation);
  }
}

function foldExtension(draft: AnswerDraft, event: Extract<StreamEvent, { type: 'extension' }>): void {
  if (event.scope === 'answer') {
    mergeExtensions(draft.extensions, event.extensions);
    return;
  }
  const choice = choiceAt(draft, event.choice);
  mergeExtensions(event.scope === 'choice' ? choice.extensions : choice.messageExtensions, event.extensions);
}

/** Each usage event replaces the previous one, including the provider's original usage object. */
function replaceUsage(extensions: OwnExtensions, usage: Extensions): void {
  for (const members of Object.values(extensions)) delete members.usage;
  mergeExtensions(
    extensions,
    Object.fromEntries(Object.entries(usage).map(([format, members]) => [format, { usage: members }])),
  );
}

function choiceAt(draft: AnswerDraft, index: number): ChoiceDraft {
  const found = draft.choices.get(index);
  if (found !== undefined) return found;
  const choice: ChoiceDraft = {
    parts: new Map(),
    finishReason: undefined,
    rawReason: undefined,
    extensions: {},
    messageExtensions: {},
  };
  draft.choices.set(index, choice);
  return choice;
}

function withExtensions(extensions: Extensions | undefined): { extensions?: Extensions } {
  return extensions === undefined ? {} : { extensions };
}
