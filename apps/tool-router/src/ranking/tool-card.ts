import type { ToolDefinition } from '@gateway/contracts';
import { splitTokens } from './tokens.ts';
import { visitToolTexts, type ToolField } from './tool-texts.ts';

/**
 * Weights of the fields in quarters, so that lengths are whole numbers: sums of them do not depend on the order of the
 * tools. Name ×2, description ×1, parameter names ×1, their descriptions ×0.25 are the figures measured best on the
 * public sets; enum values and examples are weighted by kind (a parameter's value, a text like a question).
 */
const fieldWeights: Readonly<Record<ToolField, number>> = {
  name: 8,
  description: 4,
  example: 4,
  parameterName: 4,
  parameterDescription: 1,
  enumValue: 1,
};

/** Bounds that keep a hostile or enormous definition from costing more than a long one. */
const tokensMax = 4000;
const charactersPerTextMax = 20_000;
const parameterTermsMax = 32;

/** What ranking knows of a tool: its words with their weighted counts. The definition itself is not kept. */
export interface ToolCard {
  readonly hash: string;
  readonly name: string | null;
  /** Its different words. Two lists, since a map of them would take three times the room. */
  readonly terms: readonly string[];
  /** Their weighted counts, in quarters. */
  readonly counts: readonly number[];
  /** The words of the name, each once. */
  readonly nameTerms: readonly string[];
  /** The words of the parameters' names, each once; of a long schema the first ones. */
  readonly parameterTerms: readonly string[];
  /** Sum of the weighted counts, in quarters. */
  readonly length: number;
  /** A rough size in memory, for the bound of whoever keeps it. */
  readonly bytes: number;
}

/** Makes a tool's card. Linear in the definition's size up to the bounds above; never throws on any schema. */
export function makeToolCard(definition: ToolDefinition): ToolCard {
  const draft = new CardDraft();
  visitToolTexts(definition, (field, text) => {
    draft.add(field, text);
  });
  return {
    hash: definition.hash,
    name: definition.name,
    nameTerms: [...draft.nameTerms],
    parameterTerms: [...draft.parameterTerms],
    terms: Array.from(draft.counts.keys()),
    counts: Array.from(draft.counts.values()),
    length: draft.length,
    bytes: 600 + draft.counts.size * 24,
  };
}

class CardDraft {
  readonly counts = new Map<string, number>();
  readonly nameTerms = new Set<string>();
  readonly parameterTerms = new Set<string>();
  length = 0;
  private tokensLeft = tokensMax;

  add(field: ToolField, text: string): void {
    const weight = fieldWeights[field];
    const tokens = splitTokens(text.slice(0, charactersPerTextMax), this.tokensLeft);
    this.tokensLeft -= tokens.length;
    for (const token of tokens) {
      this.counts.set(token, (this.counts.get(token) ?? 0) + weight);
      this.length += weight;
      if (field === 'name') this.nameTerms.add(token);
      else if (field === 'parameterName' && this.parameterTerms.size < parameterTermsMax)
        this.parameterTerms.add(token);
    }
  }
}
