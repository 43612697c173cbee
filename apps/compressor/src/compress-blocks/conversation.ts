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
import { criticalTerms } from './critical-terms.ts';
import { estimateTextTokens } from './estimate-text-tokens.ts';
import { LineIndex } from './line-index.ts';
import { looksLikeCode } from './looks-like-code.ts';
import { endsInCommand } from './observation.ts';
import { blockLabelOf, renderBlockReference } from './references.ts';
import { blobs } from './steps/blobs.ts';
import { headTail } from './steps/head-tail.ts';
import { logFolding } from './steps/log-folding.ts';
import { looksLikeJson, minifyJson } from './steps/minify-json.ts';
import { mayHoldTables, renderTables } from './steps/table-form.ts';
import { terminal } from './steps/terminal.ts';
import { trailingSpace } from './steps/trailing-space.ts';
import type { TextStep } from './text-step.ts';

/** Blocks under this are not worth a look; blocks over that are left alone: half a million tokens fit no context. */
const tokensMin = 12;
const charactersMax = 2_000_000;
const jsonDepthMax = 100;
/** What a whole block's reference has to save. */
const gainMin = 4;
const losslessText: readonly TextStep[] = [terminal, trailingSpace];
const lossyText: readonly TextStep[] = [blobs, logFolding, headTail];

/** A block that was sent with nothing in it that stands for something else, so that it can be referred to. */
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
  /** By hash of a block as it came: how it was sent, if in full. */
  readonly #sentInFull = new Map<string, SentBlock>();
  /** By label: the different texts sent in full that begin so. */
  readonly #alike = new Map<string, Set<string>>();
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
    const id = hash('sha256', block.text);
    const whole = this.#referToBlock(id, tokens);
    if (whole !== undefined) return whole;
    const draft = new BlockDraft(block.text, tokens, this.#settings, () => this.#terms());
    if (isResult && looksLikeJson(block.text) && draft.applyJson()) {
      this.#noteFull(id, draft);
      return draft.outcome();
    }
    const isCode = looksLikeCode(block.text);
    if (!isCode) draft.applySteps(losslessText);
    if (!isCode && isResult && this.#settings.mode === 'balanced' && this.#settings.recoverable)
      draft.applySteps(lossyText);
    const before = draft.text;
    draft.apply('repeated_lines', (text) => this.#lines.replaceRuns(text));
    if (draft.text === before) this.#noteFull(id, draft);
    return draft.outcome();
  }

  #terms(): ReadonlySet<string> {
    return new Set([...this.#userTerms, ...this.#callTerms]);
  }

  #referToBlock(id: string, tokensBefore: number): BlockOutcome | undefined {
    const sent = this.#sentInFull.get(id);
    if (sent === undefined) return undefined;
    const text = renderBlockReference(sent.label, sent.place);
    const tokensAfter = estimateTextTokens(text);
    if (tokensAfter > tokensBefore - gainMin) return undefined;
    return { text, steps: [{ step: 'repeated_block', tokensBefore, tokensAfter }], omissions: [] };
  }

  #noteFull(id: string, draft: BlockDraft): void {
    if (draft.hasOmissions || this.#sentInFull.has(id)) return;
    const label = blockLabelOf(draft.text);
    const alike = this.#alike.get(label) ?? new Set();
    this.#alike.set(label, alike.add(hash('sha256', draft.text)));
    this.#sentInFull.set(id, { label, place: alike.size });
  }
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

  get hasOmissions(): boolean {
    return this.#omissions.length > 0;
  }

  /** False when the text is no JSON after all. */
  applyJson(): boolean {
    const tape = scanOrUndefined(this.text);
    if (tape === undefined) return false;
    const { text } = this;
    this.apply('minify_json', minifyJson);
    if (this.#settings.mode === 'balanced' && !mayHoldTables(text))
      this.apply('table_form', () => renderTables(tape));
    return true;
  }

  applySteps(steps: readonly TextStep[]): void {
    const context = { terms: this.#readTerms(), omit: (original: string) => this.#omit(original) };
    for (const step of steps) this.apply(step.name, (text) => step.apply(text, context));
  }

  apply(step: string, edit: (text: string) => string): void {
    const omitted = this.#omissions.length;
    const text = edit(this.text);
    if (text === this.text) return;
    const tokens = estimateTextTokens(text);
    if (tokens >= this.#tokens || text.length > this.text.length) {
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
