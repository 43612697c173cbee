import type { ByteEdit, ByteRange } from '@gateway/interchange';
import type { JsonNode, JsonTape } from '@gateway/wire-formats';
import { JsonDepthError, JsonSyntaxError, scanJson } from '@gateway/wire-formats';
import type { CompressSchemasReply, SchemaStepName } from '@gateway/contracts';
import { estimateDefinitionTokens } from '../text/estimate-tokens.ts';
import { editsLeaving, keptRanges } from './definition/render-kept.ts';
import type { SchemaStep } from './steps/schema-step.ts';
import type { SchemaWalk } from './definition/tool-definition.ts';
import { findDefinition, walkSchema } from './definition/tool-definition.ts';
import { comment, repeatedDescription, title } from './steps/annotations.ts';
import { dialect } from './steps/dialect.ts';
import { longDescriptions } from './steps/long-descriptions.ts';

/** As deep as the gateway lets a body nest. */
const depthMax = 128;

/** `title` comes after the descriptions: it stays where the description beside it went. */
const lossless: readonly SchemaStep[] = [dialect, comment, repeatedDescription, title];
const steps: Readonly<Record<SchemaMode, readonly SchemaStep[]>> = {
  lossless,
  balanced: [...lossless, longDescriptions],
};

/** `lossless`: no word of a description goes that says anything. `balanced`: long ones are held to a budget a tool. */
export type SchemaMode = 'lossless' | 'balanced';

interface StepReport {
  readonly step: SchemaStepName;
  /** Estimates, by `estimateTokens`. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

interface CompressedDefinition {
  /** Of the definition's UTF-8 bytes: ascending, not overlapping, and never longer than what they replace. */
  readonly edits: ByteEdit[];
  /** The steps that found something to take away, in their order. */
  readonly steps: StepReport[];
}

const emptyWalk: SchemaWalk = { positions: [], isComplete: true };
const unchanged: CompressedDefinition = { edits: [], steps: [] };

/**
 * Takes from a tool definition what does not change which arguments are valid, nor tells the model anything: white
 * space between tokens, `$schema`, `$comment`, and titles and descriptions that only repeat a name; `balanced`, sentences of
 * long descriptions too. A pure function of the text and the mode, idempotent, never longer. A text that is no definition of
 * a known form, or no JSON, stays as it is.
 */
export function compressDefinition(text: string, mode: SchemaMode): CompressedDefinition {
  const tape = scanOrUndefined(Buffer.from(text));
  const definition = tape === undefined ? undefined : findDefinition(tape);
  if (definition === undefined) return unchanged;
  const { bytes } = definition.tape;
  const dropped = new Set<JsonNode>();
  const cuts = new Map<JsonNode, ByteRange[]>();
  const walk =
    definition.schema === undefined
      ? emptyWalk
      : walkSchema(definition.tape, definition.schema, definition.name);
  const draft = { definition, walk, dropped, cuts };
  const progress = new Progress(bytes);
  const report = (step: SchemaStepName): void => progress.report(step, keptRanges(definition, dropped, cuts));
  report('whitespace');
  for (const step of steps[mode]) {
    const before = dropped.size + cuts.size;
    step.apply(draft);
    if (dropped.size + cuts.size > before) report(step.name);
  }
  return { edits: editsLeaving(bytes, progress.kept), steps: progress.reports };
}

function scanOrUndefined(bytes: Buffer): JsonTape | undefined {
  try {
    return scanJson(bytes, { depthMax });
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonDepthError) return undefined;
    throw error;
  }
}

/** What is left after the steps so far, and what each of them took. */
class Progress {
  readonly reports: StepReport[] = [];
  kept: readonly ByteRange[];
  readonly #bytes: Buffer;
  #length: number;
  #tokens: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.kept = [{ start: 0, end: bytes.length }];
    this.#length = bytes.length;
    this.#tokens = estimateDefinitionTokens(bytes);
  }

  report(step: SchemaStepName, kept: readonly ByteRange[]): void {
    this.kept = kept;
    const left = cutOut(this.#bytes, kept);
    if (left.length === this.#length) return;
    const tokensBefore = this.#tokens;
    this.#length = left.length;
    this.#tokens = Math.min(tokensBefore, estimateDefinitionTokens(left));
    this.reports.push({ step, tokensBefore, tokensAfter: this.#tokens });
  }
}

function cutOut(bytes: Buffer, ranges: readonly ByteRange[]): Buffer {
  return Buffer.concat(ranges.map(({ start, end }) => bytes.subarray(start, end)));
}

interface DefinitionText {
  readonly hash: string;
  readonly text: string;
}

/** Room under the 8 MiB limit of a message. */
const replyBytesMax = 7 * 1024 * 1024;
const editBytes = 64;

/** Compresses each definition. Once the reply is full, the rest is answered with no edits. */
export function compressSchemas(
  definitions: readonly DefinitionText[],
  mode: SchemaMode,
): CompressSchemasReply {
  let bytes = 0;
  const results = definitions.map(({ hash, text }) => {
    const { edits, steps } = compressDefinition(text, mode);
    const size = edits.reduce(
      (sum, { replacement }) => sum + editBytes + JSON.stringify(replacement).length,
      300,
    );
    if (bytes + size > replyBytesMax) return { hash, edits: [], steps: [] };
    bytes += size;
    return { hash, edits, steps };
  });
  return { results };
}
