import type { ByteRange } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '@gateway/wire-formats';
import { estimateDefinitionTokens } from '../../text/estimate-tokens.ts';
import type { SchemaDraft, SchemaStep } from './schema-step.ts';
import { readMembers } from '../definition/tool-definition.ts';

/**
 * Token budget for all descriptions in a tool definition. Most tools need fewer tokens for their descriptions.
 */
const tokensMax = 200;

interface Sentence {
  readonly description: JsonNode;
  /** The byte range of the sentence, including the whitespace before the sentence. */
  readonly range: ByteRange;
  readonly tokens: number;
  /** Index of the sentence in the description, starting at 0. */
  readonly place: number;
  readonly isAside: boolean;
}

/**
 * Cuts a tool's descriptions if they exceed the token budget. The step keeps the first sentence of each
 * description and all sentences with rules about arguments. The step first removes asides and examples, and
 * then the sentences furthest from the start of a description.
 */
export const longDescriptions: SchemaStep = {
  name: 'long_descriptions',
  apply(draft) {
    const { tape } = draft.definition;
    const descriptions = listDescriptions(draft);
    let tokens = descriptions.reduce((sum, node) => sum + tokensOf(tape, tape.range(node)), 0);
    if (tokens <= tokensMax) return;
    for (const sentence of chooseOrder(descriptions.flatMap((node) => listSentences(tape, node)))) {
      if (tokens <= tokensMax) return;
      const cuts = draft.cuts.get(sentence.description) ?? [];
      draft.cuts.set(sentence.description, cuts);
      cuts.push(sentence.range);
      tokens -= sentence.tokens;
    }
  },
};

function listDescriptions({ definition, walk, dropped }: SchemaDraft): JsonNode[] {
  const { tape, body, isSchemaOnly } = definition;
  const own = isSchemaOnly ? undefined : readMembers(tape, body)?.get('description');
  const entries = [own, ...walk.positions.map(({ members }) => members.get('description'))];
  return entries.flatMap((entry) =>
    entry === undefined || dropped.has(entry.key) || tape.kind(entry.value) !== 'string' ? [] : [entry.value],
  );
}

/**
 * Words and symbols that indicate rules for correct calls, such as conditions, limits, formats and literal
 * names.
 */
const telling =
  /\b(?:must|required?|only|never|not|no|don't|cannot|can't|should|always|unless|if|when|default|format|at least|at most|max|min|maximum|minimum|up to|between|one of|either|valid|allowed|supported|instead|before|after|deprecated)\b|[`"'“”\d<>{}[\]/_\\]/i;
const aside =
  /^(?:\\n|\s)*(?:for example|example|e\.g\.|note|see|this (?:tool|function|is)|use(?:ful)? |useful)\b/i;

/** The sentences that the step may remove. The first sentence and sentences with rules may not be removed. */
function listSentences(tape: JsonTape, description: JsonNode): Sentence[] {
  const { start, end } = tape.range(description);
  const raw = tape.bytes.toString('utf8', start + 1, end - 1);
  // After an escaped backslash, the characters `\\n` do not always mean a line break.
  // The step does not cut texts with escaped backslashes.
  if (raw.includes('\\\\')) return [];
  const sentences: Sentence[] = [];
  let at = start + 1;
  for (const [place, text] of cutSentences(raw).entries()) {
    const range = { start: at, end: at + Buffer.byteLength(text) };
    at = range.end;
    if (place === 0) continue;
    const isAside = aside.test(text);
    if (!isAside && telling.test(text.replace(/\\n/g, ' '))) continue;
    sentences.push({ description, range, tokens: tokensOf(tape, range), place, isAside });
  }
  return sentences;
}

/** Splits the whole text into sentences and lines. Each piece includes the whitespace before it. */
function cutSentences(raw: string): string[] {
  return raw
    .split(/(?<=[.!?][)"']?)(?<!\b(?:e\.g|i\.e|etc|vs|cf)\.)(?=\s+\p{Lu})|(?=\\n)(?<!\\n)/u)
    .filter((text) => text !== '');
}

function chooseOrder(sentences: readonly Sentence[]): Sentence[] {
  return [...sentences].sort(
    (one, other) => Number(other.isAside) - Number(one.isAside) || other.place - one.place,
  );
}

function tokensOf({ bytes }: JsonTape, { start, end }: ByteRange): number {
  return estimateDefinitionTokens(bytes.subarray(start, end));
}
