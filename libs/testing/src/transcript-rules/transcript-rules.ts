import { createHmac, randomBytes } from 'node:crypto';
import { PrefixBinding, type BindingVerdict, type BoundFormat } from './prefix-binding.ts';
import { findAdditionDefect } from './tool-additions.ts';
import {
  readTranscript,
  type Transcript,
  type TranscriptBlock,
  type TranscriptFormat,
  type TranscriptMessage,
} from './transcript.ts';

/** A reasoning block in a response, in the form in which a provider sends it. */
export type IssuedReasoning =
  | { readonly kind: 'reasoning'; readonly text: string; readonly signature: string }
  | { readonly kind: 'unsigned'; readonly text: string }
  | { readonly kind: 'redacted'; readonly data: string };

/** Finds the first violation of a rule in a transcript. Returns the text of the provider's error, or undefined. */
type Rule = (transcript: Transcript, issued: IssuedSequences) => string | undefined;

/** The reasoning that the provider sent, for checking signatures and the order of blocks. */
interface IssuedSequences {
  isSigned(text: string, signature: string): boolean;
  hasRun(run: readonly TranscriptBlock[]): boolean;
}

/**
 * The checks that a provider applies to a transcript. Signs the reasoning that a scripted model returns, and
 * rejects requests that break a documented rule. The documented rules are:
 *
 * - Every tool call has a tool result in the next message, before all other content. Every tool result
 *   refers to a tool call.
 * - Model turns and client turns alternate. No text block is blank, and no message is empty.
 * - Reasoning is unmodified and has valid signatures. A run of consecutive reasoning blocks contains all
 *   reasoning blocks of one response.
 * - A message does not end with reasoning.
 * - With a fixed reasoning budget, a turn that contains tool calls begins with reasoning.
 * - A request that forces a tool call must not enable reasoning.
 * - In the current turn, every message with tool calls keeps the provider's unsigned reasoning (`reasoning_content`) unmodified.
 * - With `bindsPrefix`, reasoning is valid only after the prompt prefix for which it was signed.
 *
 * The Anthropic sources are "Tool use" and, in "Extended thinking", the sections on preserving thinking
 * blocks and toggling thinking modes. The rules also come from AWS ("Converse API"), OpenAI ("Function
 * calling"), OpenRouter ("Reasoning tokens") and DeepSeek ("Thinking mode").
 */
export class TranscriptRules {
  readonly #key = randomBytes(32);
  readonly #runs = new Set<string>();
  readonly #violations: string[] = [];
  readonly #binding: PrefixBinding | null;
  #hasUnsigned = false;

  constructor({ bindsPrefix = false }: { readonly bindsPrefix?: boolean } = {}) {
    this.#binding = bindsPrefix ? new PrefixBinding() : null;
  }

  /** The violations found so far, oldest first. */
  get violations(): readonly string[] {
    return this.#violations;
  }

  /** Returns a signature for a reasoning text. The signature is valid only for the given text. */
  sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64');
  }

  /** Records the consecutive reasoning blocks of a response. */
  issue(run: readonly IssuedReasoning[]): void {
    if (run.length === 0) return;
    this.#hasUnsigned ||= run.some(({ kind }) => kind === 'unsigned');
    this.#runs.add(keyOf(run));
  }

  /**
   * Signs the reasoning in the response to a request and binds it to the request's prompt prefix.
   * The option `bindsPrefix` must be true.
   */
  signBound(format: BoundFormat, body: unknown, texts: readonly string[]): string[] {
    if (this.#binding === null) throw new Error('these rules do not bind reasoning to the prefix');
    const signatures = this.#binding.sign(format, body, texts);
    this.issue(signatures.map((signature, at) => ({ kind: 'reasoning', text: texts[at] ?? '', signature })));
    return signatures;
  }

  /**
   * Checks a request against every rule.
   * @param betas the value of the request's `anthropic-beta` header
   */
  judge(format: BoundFormat, body: unknown, betas?: string): BindingVerdict {
    const bound = this.#binding?.check(format, body, betas) ?? { kind: 'accepted' };
    if (bound.kind === 'rejected') this.#violations.push(bound.message);
    if (bound.kind !== 'accepted' || format === 'responses') return bound;
    const defect = format === 'messages' ? findAdditionDefect(body, betas ?? '') : undefined;
    if (defect !== undefined) this.#violations.push(defect);
    const message = defect ?? this.check(format, body);
    return message === undefined ? bound : { kind: 'rejected', message };
  }

  /** Returns the text of the provider's error for a request that breaks a rule, or undefined. */
  check(format: TranscriptFormat, body: unknown): string | undefined {
    const transcript = readTranscript(format, body);
    const issued: IssuedSequences = {
      // Signatures of bound reasoning were already checked together with the prompt prefix.
      isSigned: (text, signature) => this.#binding !== null || this.sign(text) === signature,
      hasRun: (run) => this.#runs.has(keyOf(run)),
    };
    const rules =
      this.#hasUnsigned && format === 'chat-completions' ? [...allRules, reasonsBeforeCalls] : allRules;
    for (const rule of rules) {
      const violation = rule(transcript, issued);
      if (violation === undefined) continue;
      this.#violations.push(violation);
      return violation;
    }
    return undefined;
  }
}

const keyOf = (run: readonly TranscriptBlock[]): string => JSON.stringify(run);

const isReasoning = ({ kind }: TranscriptBlock): boolean =>
  kind === 'reasoning' || kind === 'unsigned' || kind === 'redacted';

/** Returns the ids of all blocks of one type in a message. */
function idsOf(message: TranscriptMessage | undefined, kind: 'call' | 'result'): string[] {
  return (message?.blocks ?? []).flatMap((block) => (block.kind === kind && 'id' in block ? [block.id] : []));
}

/**
 * Joins adjacent client messages, because the chat-completions format sends each tool result in a separate
 * message.
 */
function joinClientMessages(messages: readonly TranscriptMessage[]): TranscriptMessage[] {
  const joined: TranscriptMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === 'user' && message.role === 'user')
      joined[joined.length - 1] = { role: 'user', blocks: [...last.blocks, ...message.blocks] };
    else joined.push(message);
  }
  return joined;
}

const callsHaveResults: Rule = ({ messages }) => {
  const turns = joinClientMessages(messages);
  const seen = new Set<string>();
  for (const [at, message] of turns.entries()) {
    const calls = idsOf(message, 'call');
    const results = idsOf(turns[at + 1], 'result');
    const open = calls.find((id) => !results.includes(id));
    if (open !== undefined)
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open}.`;
    const repeated = calls.find((id, place) => seen.has(id) || calls.indexOf(id) !== place);
    if (repeated !== undefined) return `messages.${at}: \`tool_use\` ids must be unique: ${repeated}`;
    for (const id of calls) seen.add(id);
    const before = idsOf(turns[at - 1], 'call');
    const orphan = idsOf(message, 'result').find((id) => !before.includes(id));
    if (orphan !== undefined)
      return `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  }
  return undefined;
};

const resultsComeFirst: Rule = ({ messages }) => {
  const at = messages.findIndex(({ role, blocks }) => {
    const first = blocks.findIndex(({ kind }) => kind !== 'result');
    return role === 'user' && first >= 0 && blocks.slice(first).some(({ kind }) => kind === 'result');
  });
  return at < 0 ? undefined : `messages.${at}: \`tool_result\` blocks must come first in the content.`;
};

const turnsAlternate: Rule = ({ messages }) => {
  const spoken = messages.filter(({ role }) => role !== 'system');
  if (spoken[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  const at = spoken.findIndex(
    ({ role }, index) => role === 'assistant' && spoken[index + 1]?.role === 'assistant',
  );
  return at < 0 ? undefined : `messages.${at + 1}: roles must alternate between "user" and "assistant"`;
};

const nothingIsBlank: Rule = ({ messages }) => {
  for (const [at, { role, blocks }] of messages.entries()) {
    if (role === 'assistant' && blocks.length === 0)
      return `messages.${at}: all messages must have non-empty content`;
    const isBlank = blocks.some((block) => block.kind === 'text' && block.text.trim() === '');
    if (isBlank) return `messages.${at}: text content blocks must contain non-whitespace text`;
  }
  return undefined;
};

/** Returns the runs of consecutive reasoning blocks in a message. */
function runsOf({ blocks }: TranscriptMessage): TranscriptBlock[][] {
  const runs: TranscriptBlock[][] = [];
  blocks.forEach((block, at) => {
    if (!isReasoning(block)) return;
    const before = blocks[at - 1];
    if (before !== undefined && isReasoning(before)) runs.at(-1)?.push(block);
    else runs.push([block]);
  });
  return runs;
}

const reasoningIsUnmodified: Rule = ({ messages }, issued) => {
  for (const [at, message] of messages.entries()) {
    for (const run of runsOf(message)) {
      const forged = run.some(
        (block) => block.kind === 'reasoning' && !issued.isSigned(block.text, block.signature),
      );
      if (forged) return `messages.${at}.content: Invalid \`signature\` in \`thinking\` block`;
      if (!issued.hasRun(run))
        return `messages.${at}.content: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
    }
  }
  return undefined;
};

const reasoningIsNotLast: Rule = ({ messages }) => {
  const at = messages.findIndex(({ role, blocks }) => {
    const last = blocks.at(-1);
    return role === 'assistant' && last !== undefined && last.kind !== 'unsigned' && isReasoning(last);
  });
  return at < 0
    ? undefined
    : `messages.${at}: The final block in an assistant message cannot be \`thinking\`.`;
};

/** Returns the model's messages since the last client message that contains more than tool results. */
function currentTurn(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  const since = messages.findLastIndex(
    ({ role, blocks }) => role === 'user' && blocks.some(({ kind }) => kind !== 'result'),
  );
  return messages.slice(since + 1).filter(({ role }) => role === 'assistant');
}

const turnBeginsWithReasoning: Rule = ({ messages, isThinkingEnabled }) => {
  if (!isThinkingEnabled) return undefined;
  const turn = currentTurn(messages);
  const first = turn[0]?.blocks[0];
  if (first === undefined || isReasoning(first)) return undefined;
  return 'messages.content.0.type: Expected `thinking` or `redacted_thinking`, but found another block. When `thinking` is enabled, a final `assistant` message must start with a thinking block.';
};

const forcedCallsExcludeReasoning: Rule = ({ isThinkingEnabled, isForced }) =>
  isThinkingEnabled && isForced ? 'Thinking may not be enabled when tool_choice forces tool use.' : undefined;

const toolsAreDefinedOnce: Rule = ({ messages, tools }) => {
  const repeated = tools.find((name, at) => tools.indexOf(name) !== at);
  if (repeated !== undefined) return `tools: Tool names must be unique: ${repeated}`;
  const hasCalls = messages.some(({ blocks }) => blocks.some(({ kind }) => kind === 'call'));
  return hasCalls && tools.length === 0 ? 'tools: Field required when the messages contain calls' : undefined;
};

const reasonsBeforeCalls: Rule = ({ messages }) => {
  const bare = currentTurn(messages).some(
    ({ blocks }) => blocks.some(({ kind }) => kind === 'call') && !blocks.some(isReasoning),
  );
  return bare ? 'Missing `reasoning_content` field in an assistant message with tool calls.' : undefined;
};

const allRules: readonly Rule[] = [
  turnsAlternate,
  callsHaveResults,
  resultsComeFirst,
  nothingIsBlank,
  toolsAreDefinedOnce,
  reasoningIsUnmodified,
  reasoningIsNotLast,
  turnBeginsWithReasoning,
  forcedCallsExcludeReasoning,
];
