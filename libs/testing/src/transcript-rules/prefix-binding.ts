import { listAdditions } from './tool-additions.ts';
import { createHash, createHmac, randomBytes } from 'node:crypto';

/** The APIs in which a provider binds reasoning to the prompt prefix. */
export type BoundFormat = 'messages' | 'converse' | 'responses';

/** Whether a provider accepts, rejects or ignores the reasoning in a request. */
export type BindingVerdict =
  | { readonly kind: 'accepted' }
  /** The provider rejects the request with status 400 and the error text in `message`. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** The provider serves the request, but ignores part of the reasoning in the request. */
  | { readonly kind: 'dropped'; readonly transformations: readonly InputTransformation[] };

/** An entry in `input_transformations` in a response. */
export type InputTransformation =
  | { readonly type: 'thinking_dropped'; readonly path: string; readonly reason: 'prefix_binding_mismatch' }
  | {
      readonly type: 'reasoning';
      readonly id: string;
      readonly action: 'removed';
      readonly reason: 'prefix_mismatch';
    };

/** The name of Anthropic's beta that supports `thinking.block_binding` and `input_transformations`. */
export const bindingBeta = 'thinking-binding-controls-2026-08-01';

interface IssuedBlock {
  readonly text: string;
  readonly prefix: string;
  /** The signature of the previous block in the transcript. Null for the first block. */
  readonly previous: string | null;
}

/**
 * Signs and checks reasoning like a provider that binds reasoning to the prompt prefix. The prompt prefix
 * consists of `system`, the set of `tools`, and all messages before the reasoning. Cache markers, the order
 * of tools and the order of JSON keys are ignored. A deferred tool belongs to the prompt prefix only after a
 * message has referenced the tool. Reasoning may be missing at the start or at the end of a transcript, but
 * not between two blocks. A removed reasoning block cannot return in a later request. The sources are
 * Anthropic ("Preserved thinking", "Prefix checks") and OpenAI ("Keep the prefix unchanged", SDK types).
 */
export class PrefixBinding {
  readonly #key = randomBytes(32);
  readonly #issued = new Map<string, IssuedBlock>();

  /** Signs the reasoning texts of a response to this request, in the order of the texts. */
  sign(format: BoundFormat, body: unknown, texts: readonly string[]): string[] {
    const request = readBoundRequest(format, body);
    const prefix = prefixesOf(request)[request.turns.length] ?? '';
    let previous = request.turns.flatMap(({ blocks }) => blocks).at(-1)?.signature ?? null;
    return texts.map((text, at) => {
      const content = JSON.stringify([text, prefix, previous, at, this.#issued.size]);
      const signature = createHmac('sha256', this.#key).update(content).digest('base64');
      this.#issued.set(signature, { text, prefix, previous });
      previous = signature;
      return signature;
    });
  }

  /** @param betas the value of the request's `anthropic-beta` header */
  check(format: BoundFormat, body: unknown, betas = ''): BindingVerdict {
    const request = readBoundRequest(format, body);
    const { behavior } = request;
    const hasBeta = `${betas},${request.betas.join(',')}`
      .split(',')
      .some((name) => name.trim() === bindingBeta);
    if (behavior !== undefined && !hasBeta)
      return { kind: 'rejected', message: 'thinking.block_binding: Extra inputs are not permitted' };
    const prefixes = prefixesOf(request);
    let last: string | null = null;
    for (const [at, { blocks }] of request.turns.entries()) {
      for (const [place, { path, signature, text }] of blocks.entries()) {
        const issued = this.#issued.get(signature);
        if (issued?.text !== text)
          return { kind: 'rejected', message: `${path}: Invalid \`signature\` in \`thinking\` block` };
        if (issued.prefix !== prefixes[at] || (last !== null && issued.previous !== last))
          return mismatch(format, request, { at, place }, hasBeta);
        last = signature;
      }
    }
    return { kind: 'accepted' };
  }
}

/**
 * Decides how to treat the first reasoning block that does not match the prompt prefix. All reasoning blocks
 * after the first mismatching block are also dropped.
 */
function mismatch(
  format: BoundFormat,
  { turns, behavior }: BoundRequest,
  from: { readonly at: number; readonly place: number },
  hasBeta: boolean,
): BindingVerdict {
  const dropped = turns.flatMap(({ blocks }, at) =>
    at < from.at ? [] : blocks.slice(at === from.at ? from.place : 0),
  );
  if (format === 'responses') {
    const transformations = dropped.map(({ path: id }): InputTransformation => ({
      ...{ type: 'reasoning', id, action: 'removed', reason: 'prefix_mismatch' },
    }));
    return { kind: 'dropped', transformations };
  }
  if (behavior !== 'drop_block')
    return { kind: 'rejected', message: boundElsewhere(dropped[0]?.path ?? 'messages') };
  const transformations = dropped.map(({ path }): InputTransformation => ({
    ...{ type: 'thinking_dropped', path, reason: 'prefix_binding_mismatch' },
  }));
  return { kind: 'dropped', transformations: hasBeta ? transformations : [] };
}

/**
 * The error text, as documented by the provider. The documentation omits the end of the error text. Clients
 * compare only the second sentence of the error text.
 */
function boundElsewhere(path: string): string {
  return `${path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to \`drop_block\`.`;
}

interface BoundTool {
  readonly name: string;
  readonly text: string;
  readonly isDeferred: boolean;
}

interface ReasoningBlock {
  /** The block's path in the request, as used in errors. For the Responses API, the reasoning item's id. */
  readonly path: string;
  readonly signature: string;
  readonly text: string;
}

/** A message of a chat format, or an item of the Responses API. */
interface BoundTurn {
  /** The message as canonical JSON, without reasoning. */
  readonly text: string;
  /** Names of the deferred tools that a tool search in the message found. */
  readonly references: readonly string[];
  readonly blocks: readonly ReasoningBlock[];
}

interface BoundRequest {
  readonly system: string;
  readonly tools: readonly BoundTool[];
  readonly turns: readonly BoundTurn[];
  readonly behavior: unknown;
  /** The beta names in the request body. */
  readonly betas: readonly string[];
}

/** Returns the prompt prefix before each turn and before the response. */
function prefixesOf({ system, tools, turns }: BoundRequest): string[] {
  const messages = createHash('sha256').update(system);
  const found = new Set<string>();
  const prefixHere = (): string => {
    const counted = tools.filter(({ name, isDeferred }) => !isDeferred || found.has(name));
    const set = counted.map(({ text }) => text).sort();
    return messages.copy().update(JSON.stringify(set)).digest('hex');
  };
  const prefixes: string[] = [];
  for (const { text, references } of turns) {
    prefixes.push(prefixHere());
    for (const name of references) found.add(name);
    if (text !== '') messages.update(`\n${text}`);
  }
  return [...prefixes, prefixHere()];
}

type Json = Readonly<Record<string, unknown>>;
const asJson = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** JSON fields that are not part of the prompt prefix. */
const uncounted = new Set(['cache_control', 'defer_loading', 'cachePoint']);

/**
 * Returns a string for comparing JSON values. Keys are sorted and cache markers are omitted, so equal JSON
 * values have equal strings.
 */
function canonical(value: unknown): string {
  if (value === undefined) return 'null';
  return JSON.stringify(value, (key, member: unknown) => {
    if (uncounted.has(key)) return undefined;
    if (Array.isArray(member))
      return (member as unknown[]).filter((item) => asJson(item)['cachePoint'] === undefined);
    if (typeof member !== 'object' || member === null) return member;
    return Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

function readBoundRequest(format: BoundFormat, given: unknown): BoundRequest {
  const body = asJson(given);
  switch (format) {
    case 'messages':
      return readMessages(body);
    case 'converse':
      return readConverse(body);
    case 'responses':
      return readResponses(body);
  }
}

function readMessages(body: Json): BoundRequest {
  return {
    system: canonical(body['system']),
    tools: listOf(body['tools']).map((tool) => ({
      name: textOf(asJson(tool)['name']),
      text: canonical(tool),
      isDeferred: asJson(tool)['defer_loading'] === true,
    })),
    turns: listOf(body['messages']).map((message, at) => readMessage(asJson(message), at)),
    behavior: asJson(asJson(body['thinking'])['block_binding'])['prefix_mismatch_behavior'],
    betas: [],
  };
}

function readMessage({ role, content }: Json, at: number): BoundTurn {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(asJson);
  const isReasoning = ({ type }: Json): boolean => type === 'thinking' || type === 'redacted_thinking';
  return {
    text: canonical({ role, content: parts.filter((part) => !isReasoning(part)) }),
    references: [...parts.flatMap(listReferences), ...listAdditions({ content })],
    blocks: parts.flatMap((part, place) =>
      isReasoning(part)
        ? [
            {
              path: `messages.${at}.content.${place}`,
              signature: textOf(part['signature'] ?? part['data']),
              text: textOf(part['thinking']),
            },
          ]
        : [],
    ),
  };
}

/** A tool search that the provider runs returns an object. A tool search that the client runs returns a list. */
function listReferences({ content }: Json): string[] {
  const found = Array.isArray(content) ? content : listOf(asJson(content)['tool_references']);
  return found.flatMap((reference) => {
    const { type, tool_name: name } = asJson(reference);
    return type === 'tool_reference' && typeof name === 'string' ? [name] : [];
  });
}

function readConverse(body: Json): BoundRequest {
  const fields = asJson(body['additionalModelRequestFields']);
  return {
    system: canonical(body['system']),
    tools: listOf(asJson(body['toolConfig'])['tools']).flatMap((tool) => {
      const { toolSpec } = asJson(tool);
      if (toolSpec === undefined) return [];
      return [{ name: textOf(asJson(toolSpec)['name']), text: canonical(toolSpec), isDeferred: false }];
    }),
    turns: listOf(body['messages']).map((message, at) => {
      const { role, content } = asJson(message);
      const parts = listOf(content).map(asJson);
      return {
        text: canonical({ role, content: parts.filter((part) => part['reasoningContent'] === undefined) }),
        references: [],
        blocks: parts.flatMap((part, place) => {
          if (part['reasoningContent'] === undefined) return [];
          const { reasoningText } = asJson(part['reasoningContent']);
          const { text, signature } = asJson(reasoningText);
          return [
            { path: `messages.${at}.content.${place}`, signature: textOf(signature), text: textOf(text) },
          ];
        }),
      };
    }),
    behavior: asJson(asJson(fields['thinking'])['block_binding'])['prefix_mismatch_behavior'],
    betas: listOf(fields['anthropic_beta']).map(textOf),
  };
}

function readResponses(body: Json): BoundRequest {
  return {
    // Instructions are part of the prompt prefix only before GPT-6.2.
    // The request's format and tools are always part of the prompt prefix.
    system: canonical(asJson(body['text'])['format']),
    // The prompt always contains a deferred function's name and description.
    tools: listOf(body['tools']).map((tool) => ({
      name: textOf(asJson(tool)['name']),
      text: `${String(asJson(tool)['defer_loading'] === true)} ${canonical(tool)}`,
      isDeferred: false,
    })),
    turns: listOf(body['input']).map((item) => {
      const { type, id, encrypted_content: content } = asJson(item);
      return type === 'reasoning'
        ? { text: '', references: [], blocks: [{ path: textOf(id), signature: textOf(content), text: '' }] }
        : { text: canonical(item), references: [], blocks: [] };
    }),
    behavior: undefined,
    betas: [],
  };
}
