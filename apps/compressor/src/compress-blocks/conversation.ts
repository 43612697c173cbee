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

/**
 * Minimum and maximum size of a compressed block. Compressing blocks below the minimum size would save too
 * few tokens. Larger blocks are left unchanged, because half a million tokens exceed any context window.
 */
const tokensMin = 12;
const charactersMax = 2_000_000;
const jsonDepthMax = 100;
/**
 * Maximum number of values plus keys in a document that may be rendered as a table. A larger document has at
 * least a quarter of a million tokens.
 */
const tableValuesMax = 120_000;
/** Minimum number of tokens that a reference to a whole block must save. */
const gainMin = 4;
/** Maximum number of quotes in a reference, because JSON escapes each quote with an additional character. */
const quotesMax = 4;
const losslessText: readonly TextStep[] = [terminal, trailingSpace];
const lossyText: readonly TextStep[] = [blobs, logFolding, headTail];

/** A block that was sent in full and without references. Later blocks can refer to it. */
interface SentBlock {
  readonly label: string;
  readonly place: number;
}

/**
 * Compresses each block in a conversation once, in order. The compressed form of a block depends only on the
 * settings, the block and the blocks before it. A new turn never changes blocks that were sent earlier, and
 * all replicas send the same bytes.
 */
export class ConversationCompressor {
  readonly #settings: CompressionSettings;
  readonly #lines = new LineIndex();
  /**
   * Blocks that were sent, by hash. Each sent block is stored under two keys, which are the hashes of the
   * original block and of the sent block.
   */
  readonly #sentBlocks = new Map<string, SentBlock>();
  /**
   * For each label, the numbers of the sent texts with this label, keyed by the text's hash. The first text has
   * the number 1.
   */
  readonly #alike = new Map<string, Map<string, number>>();
  #userTerms: ReadonlySet<string> = new Set();
  #callTerms: ReadonlySet<string> = new Set();
  #assistantText = '';
  #characters = 0;

  constructor(settings: CompressionSettings) {
    this.#settings = settings;
  }

  /** Number of characters in the conversation so far, to which the memory use is roughly proportional. */
  get characters(): number {
    return this.#characters;
  }

  /** Adds the next block in the conversation. */
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
    // The text now contains references, so its remaining lines may no longer look like code.
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

  /**
   * Records a sent block, so that later blocks can refer to it.
   * @param original the text that a later reference may replace. If the sent block omits nothing, `original` is the
   *   uncompressed block.
   */
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

/**
 * Whether the text contains no unpaired surrogate. UTF-8 cannot represent an unpaired surrogate, so
 * encoding a text with an unpaired surrogate changes the text.
 */
function isExact(text: string): boolean {
  return text.isWellFormed();
}

function holdsReference(text: string): boolean {
  return text.includes('as above') && text.split('\n').some((line) => parseReference(line) !== undefined);
}

/** The state of a block between two compression steps. The output of a step that saves no tokens is discarded. */
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

  /** Compresses JSON text. Returns false if the text is not JSON. */
  applyJson(): boolean {
    const tape = scanOrUndefined(this.text);
    if (tape === undefined) return false;
    const { text } = this;
    this.apply('minify_json', minifyJson);
    const isShort = tape.after(tape.root) <= tableValuesMax;
    if (this.#settings.mode === 'balanced' && isShort && isExact(text) && !mayHoldTables(text))
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
