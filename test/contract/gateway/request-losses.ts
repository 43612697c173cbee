import type { ProviderFormat } from '@gateway/interchange';

/**
 * Request fields that a format cannot express, by their names in the gateway's loss report. Reviewers check
 * the list of losses.
 */
interface RequestLoss {
  readonly field: RegExp;
  readonly to: readonly ProviderFormat[];
  readonly reason: string;
}

const every: readonly ProviderFormat[] = [
  ...(['chat-completions', 'messages', 'converse', 'responses', 'gemini', 'cohere'] as const),
];

/**
 * The accepted losses of fields that more than one format can express. The test fails if another loss of a
 * shared field is reported.
 */
const reviewed: readonly RequestLoss[] = [
  { field: /^temperature$/, to: ['messages'], reason: 'the scale ends at 1, and newer versions refuse it' },
  { field: /^temperature$/, to: ['converse'], reason: 'the scale ends at 1' },
  { field: /^top_p$/, to: ['messages'], reason: 'newer versions refuse it' },
  {
    field: /^top_k$/,
    to: ['chat-completions', 'converse', 'messages', 'responses'],
    reason: 'no such setting',
  },
  { field: /^stop$/, to: ['messages'], reason: 'no stop sequence of white space alone' },
  { field: /^stop$/, to: ['responses'], reason: 'no such setting' },
  { field: /^max_tokens$/, to: ['responses'], reason: 'no fewer than 16' },
  {
    field: /^n$/,
    to: ['messages', 'converse', 'responses', 'cohere'],
    reason: 'one answer is all that there is',
  },
  { field: /^seed$/, to: ['messages', 'converse', 'responses'], reason: 'no such setting' },
  {
    field: /^(frequency|presence)_penalty$/,
    to: ['messages', 'converse', 'responses'],
    reason: 'no such setting',
  },
  {
    field: /^parallel_tool_calls$/,
    to: ['converse', 'gemini', 'cohere'],
    reason: 'they cannot be forbidden',
  },
  { field: /^user$/, to: ['converse', 'gemini', 'cohere'], reason: 'no such member' },
  { field: /^reasoning_effort$/, to: ['gemini', 'cohere'], reason: 'fewer levels, or none' },
  { field: /^thinking(\.\w+)?$/, to: every, reason: 'a budget where there are levels; its display' },
  { field: /^response_format$/, to: every, reason: 'a kind of its own; JSON without a schema' },
  { field: /^tool_choice$/, to: every, reason: 'use of tools cannot be forbidden; a kind of its own' },
  { field: /^tools\[\d+\]$/, to: every, reason: 'a built-in tool of one provider; one that takes text' },
  {
    field: /^tools(\[\d+\])?\.strict$/,
    to: ['gemini', 'cohere'],
    reason: 'schemas are followed as far as they are',
  },
  {
    field: /cache_control$/,
    to: ['chat-completions', 'responses', 'gemini', 'cohere'],
    reason: 'prompts are cached without markers',
  },
  {
    field: /^messages\[\d+\]$/,
    to: ['messages', 'converse', 'gemini'],
    reason: 'the system speaks before the conversation alone',
  },
  {
    field: /\.is_error$/,
    to: ['chat-completions', 'responses', 'cohere'],
    reason: 'results have no such member',
  },
  { field: /\.thinking$/, to: every, reason: 'thoughts of another model, which did not sign them' },
  { field: /\.signature$/, to: ['gemini', 'cohere'], reason: 'of another model' },
  { field: /\.citations$/, to: every, reason: 'places in sources that the format has no words for' },
  {
    field: /\.(image|document|audio)$/,
    to: every,
    reason: "media that the format's messages do not take there",
  },
  { field: /\.opaque$/, to: every, reason: 'a part of one format alone' },
  {
    field: /^messages(\[\d+\])\.parts\[\d+\](\.parts\[\d+\])?$/,
    to: ['gemini', 'cohere'],
    reason: 'a part or a kind of media that the format does not take',
  },
  {
    field: /\.arguments$/,
    to: ['messages', 'converse', 'gemini'],
    reason: 'objects alone: sent as their text',
  },
  {
    field: /^function(s|_call)$/,
    to: every,
    // If the gateway translated `functions` into tools, later turns would also need the deprecated fields.
    // A provider that uses the client's format receives `functions` and `function_call` unchanged.
    reason: 'the words of 2023 for tools, which no current client says',
  },
  { field: /\.name$/, to: every, reason: 'messages have no name of who speaks' },
];

/** The fields that several formats have. All other fields in losses exist in only one format. */
const shared =
  /^(model|messages(\[\d+\])?|system|tools(\[\d+\])?|tool_choice|max_tokens|temperature|top_[pk]|stop|n|seed|(frequency|presence)_penalty|parallel_tool_calls|user|reasoning_effort|thinking|response_format|stream)$|\.(name|description|parameters|text|image|document|audio|thinking|arguments|is_error)$/;

export const ownReason = "a member of one provider's own";

/** Returns the reviewed reason for a reported loss. Returns undefined if the loss was not reviewed. */
export function findRequestLoss(field: string, to: ProviderFormat): string | undefined {
  const known = reviewed.find((loss) => loss.to.includes(to) && loss.field.test(field));
  return known?.reason ?? (shared.test(field) ? undefined : ownReason);
}
