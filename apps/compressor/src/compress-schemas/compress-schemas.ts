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

/**
 * Maximum nesting depth of a tool definition, equal to the gateway's limit for request bodies.
 */
const depthMax = 128;

/** The step `title` runs after the description steps, because it keeps a title if the description was dropped. */
const lossless: readonly SchemaStep[] = [dialect, comment, repeatedDescription, title];
const steps: Readonly<Record<SchemaMode, readonly SchemaStep[]>> = {
  lossless,
  balanced: [...lossless, longDescriptions],
};

/**
 * Compression mode for tool definitions. With the mode `lossless`, only descriptions that carry no information
 * are dropped. With the mode `balanced`, long descriptions are also cut to a token budget per tool.
 */
export type SchemaMode = 'lossless' | 'balanced';

interface StepReport {
  readonly step: SchemaStepName;
  /** Number of tokens before the compression step, estimated by `estimateDefinitionTokens`. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

interface CompressedDefinition {
  /**
   * Edits to the tool definition's UTF-8 bytes, in ascending order and without overlaps. No edit is longer than
   * the text that it replaces.
   */
  readonly edits: ByteEdit[];
  /** The compression steps that changed the tool definition, in order. */
  readonly steps: StepReport[];
}

const emptyWalk: SchemaWalk = { positions: [], isComplete: true };
const unchanged: CompressedDefinition = { edits: [], steps: [] };

/**
 * Removes the parts of a tool definition that the model does not need and that do not affect which arguments
 * are valid. The removed parts are whitespace between tokens, `$schema`, `$comment`, and titles and
 * descriptions that only repeat a name. The mode `balanced` also removes sentences from long descriptions.
 * Compressing a definition again changes nothing, and the output is never longer than the definition. Text
 * that is not JSON or has an unknown definition format stays unchanged.
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

/** The remaining text of the tool definition, and the report of each compression step. */
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

/** Maximum size of a reply in bytes, chosen to leave room below the 8 MiB message limit. */
const replyBytesMax = 7 * 1024 * 1024;
const editBytes = 64;

/** Compresses each tool definition. When the reply is full, the remaining tool definitions get no edits. */
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
