import type { ContextStepName } from '@gateway/contracts';
import { scanJson, JsonDepthError, JsonSyntaxError, type JsonTape } from '@gateway/wire-formats';
import { hash } from 'node:crypto';
import {
  unchanged,
  type BlockOutcome,
  type BlockStepReport,
  type CompressionSettings,
  type ContextBlock,
  type Omission,
} from './context-block.ts';
import { criticalTerms } from '../text/critical-terms.ts';
import { estimateTextTokens } from '../text/estimate-tokens.ts';
import { LineIndex } from './references/line-index.ts';
import { looksLikeCode, endsInCommand } from '../text/classify-text.ts';
import { blockLabelOf, parseReference, renderBlockReference } from './references/references.ts';
import { blobs } from './steps/blobs.ts';
import { headTail } from './steps/head-tail.ts';
import { logFolding } from './steps/log-folding.ts';
import { looksLikeJson, minifyJson } from './steps/minify-json.ts';
import { summary } from './steps/summary.ts';
import { mayHoldTables, renderTables } from './steps/table-form.ts';
import { terminal, trailingSpace } from './steps/terminal.ts';
import type { TextStep } from './steps/text-step.ts';

/** Blocks under this are not worth a look; blocks over that are left alone: half a million tokens fit no context. */
const tokensMin = 12;
const charactersMax = 2_000_000;
const jsonDepthMax = 100;
/** What a whole block's reference has to save. */
const gainMin = 4;
/** Quotes in a reference, which a body escapes. */
const quotesMax = 4;
const losslessText: readonly TextStep[] = [terminal, trailingSpace];
const lossyText: readonly TextStep[] = [blobs, logFolding, headTail];

/** A block that was sent without a reference in it, so that it can be referred to. */
interface SentBlock {
  readonly label: string;
  readonly place: number;
}

/**
 * Compresses the blocks of a conversation, each once, in their order. What becomes of a block depends on the settings and on
 * the blocks up to it, on nothing else: not on the clock, the process or what comes later. So a turn never changes what
 * was sent before it, and every replica sends the same bytes.
 */
export class ConversationCompressor {
  readonly #settings: CompressionSettings;
  readonly #lines = new LineIndex();
  /** By hash of a block as it came and as it was sent. */
  readonly #sentBlocks = new Map<string, SentBlock>();
  /** By label, and by hash: which of the different texts sent in full that begin so it is, from 1. */
  readonly #alike = new Map<string, Map<string, number>>();
  #userTerms: ReadonlySet<string> = new Set();
  #callTerms: ReadonlySet<string> = new Set();
  #assistantText = '';
  #characters = 0;

  constructor(settings: CompressionSettings) {
    this.#settings = settings;
  }

  /** How long the conversation is so far, and so about how much is remembered of it. */
  get characters(): number {
    return this.#characters;
  }

  /** The next block of the conversation. */
  add(block: ContextBlock): BlockOutcome {
    this.#characters += block.text.length;
    const isLeftAlone = block.frozen || block.text.length > charactersMax;
    const outcome = isLeftAlone ? unchanged : this.#compress(block);
    const sent = outcome.text ?? block.text;
    if (block.text.length <= charactersMax) this.#lines.add(sent);
    if (!holdsReference(sent)) this.#noteSent(sent, outcome.omissions.length === 0 ? block.text : sent);
    this.#noteContext(block);
    return outcome;
  }

  #noteContext({ speaker, text }: ContextBlock): void {
    if (speaker === 'assistant') {
      this.#assistantText = text;
      this.#callTerms = criticalTerms(text);
    } else if (speaker === 'user' && !endsInCommand(this.#assistantText)) {
      this.#userTerms = criticalTerms(text);
    }
  }

  #compress(block: ContextBlock): BlockOutcome {
    const isResult =
      block.speaker === 'tool' || (block.speaker === 'user' && endsInCommand(this.#assistantText));
    if (!isResult && block.speaker !== 'user') return unchanged;
    const tokens = estimateTextTokens(block.text);
    if (tokens < tokensMin) return unchanged;
    if (parseReference(block.text) !== undefined) return unchanged;
    const whole = this.#referToBlock(block.text, tokens);
    if (whole !== undefined) return whole;
    const draft = new BlockDraft(block.text, tokens, this.#settings, () => this.#terms());
    const isSummed = isResult && block.old === true && this.#mayLeaveOut();
    if (isResult && looksLikeJson(block.text) && draft.applyJson()) {
      if (isSummed) draft.applySteps([summary]);
      return this.#referToBlock(draft.text, tokens) ?? draft.outcome();
    }
    // A text that speaks in references has been here before: what it leaves of lines may look like no code any more.
    const isCode = looksLikeCode(block.text) || holdsReference(block.text);
    if (!isCode) draft.applySteps(losslessText);
    if (!isCode && isResult && this.#mayLeaveOut()) draft.applySteps(isSummed ? [summary] : lossyText);
    const same = draft.text === block.text ? undefined : this.#referToBlock(draft.text, tokens);
    if (same !== undefined) return same;
    draft.apply('repeated_lines', (text) => this.#lines.replaceRuns(text));
    return draft.outcome();
  }

  #mayLeaveOut(): boolean {
    return this.#settings.mode === 'balanced' && this.#settings.recoverable;
  }

  #terms(): ReadonlySet<string> {
    return new Set([...this.#userTerms, ...this.#callTerms]);
  }

  #referToBlock(original: string, tokensBefore: number): BlockOutcome | undefined {
    const sent = isExact(original) ? this.#sentBlocks.get(hash('sha256', original)) : undefined;
    if (sent === undefined) return undefined;
    const text = renderBlockReference(sent.label, sent.place);
    const tokensAfter = estimateTextTokens(text);
    const isLonger = Buffer.byteLength(text) + quotesMax > Buffer.byteLength(original);
    if (isLonger || tokensAfter > tokensBefore - gainMin) return undefined;
    return { text, steps: [{ step: 'repeated_block', tokensBefore, tokensAfter }], omissions: [] };
  }

  /** @param original what comes again may be referred to it by: the block as it came, if all of it was sent. */
  #noteSent(sent: string, original: string): void {
    const label = blockLabelOf(sent);
    if (label === undefined || !isExact(original)) return;
    const alike = this.#alike.get(label) ?? new Map<string, number>();
    this.#alike.set(label, alike);
    const [id, sentId] = [hash('sha256', original), hash('sha256', sent)];
    const place = alike.get(sentId) ?? alike.size + 1;
    alike.set(sentId, place);
    for (const name of [id, sentId])
      if (!this.#sentBlocks.has(name)) this.#sentBlocks.set(name, { label, place });
  }
}

/** Half of a pair has no place in UTF-8: hashed or scanned, the text would be another one. */
function isExact(text: string): boolean {
  return text.isWellFormed();
}

function holdsReference(text: string): boolean {
  return text.includes('as above') && text.split('\n').some((line) => parseReference(line) !== undefined);
}

/** A block on its way through the steps: each is kept only where it saves tokens. */
class BlockDraft {
  text: string;
  readonly #reports: BlockStepReport[] = [];
  readonly #omissions: Omission[] = [];
  readonly #settings: CompressionSettings;
  readonly #readTerms: () => ReadonlySet<string>;
  #tokens: number;

  constructor(
    text: string,
    tokens: number,
    settings: CompressionSettings,
    readTerms: () => ReadonlySet<string>,
  ) {
    this.text = text;
    this.#tokens = tokens;
    this.#settings = settings;
    this.#readTerms = readTerms;
  }

  /** False when the text is no JSON after all. */
  applyJson(): boolean {
    const tape = scanOrUndefined(this.text);
    if (tape === undefined) return false;
    const { text } = this;
    this.apply('minify_json', minifyJson);
    if (this.#settings.mode === 'balanced' && isExact(text) && !mayHoldTables(text))
      this.apply('table_form', () => renderTables(tape));
    return true;
  }

  applySteps(steps: readonly TextStep[]): void {
    const context = { terms: this.#readTerms(), omit: (original: string) => this.#omit(original) };
    for (const step of steps) this.apply(step.name, (text) => step.apply(text, context));
  }

  apply(step: ContextStepName, edit: (text: string) => string): void {
    const omitted = this.#omissions.length;
    const text = edit(this.text);
    if (text === this.text) return;
    const tokens = estimateTextTokens(text);
    if (tokens >= this.#tokens || Buffer.byteLength(text) > Buffer.byteLength(this.text)) {
      this.#omissions.length = omitted;
      return;
    }
    this.#reports.push({ step, tokensBefore: this.#tokens, tokensAfter: tokens });
    this.text = text;
    this.#tokens = tokens;
  }

  #omit(original: string): string {
    const id = hash('sha256', `${this.#settings.sessionSeed}\n${original}`).slice(0, 12);
    this.#omissions.push({ id, original });
    return id;
  }

  outcome(): BlockOutcome {
    if (this.#reports.length === 0) return unchanged;
    return { text: this.text, steps: this.#reports, omissions: this.#omissions };
  }
}

function scanOrUndefined(text: string): JsonTape | undefined {
  try {
    return scanJson(Buffer.from(text), { depthMax: jsonDepthMax });
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonDepthError) return undefined;
    throw error;
  }
}
