import type { ToolDefinition } from '@gateway/contracts';
import { nextCount, readWords, trimWords, type Word } from './tokens.ts';
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
  readonly terms: readonly Word[];
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
  trimWords();
  const draft = new CardDraft();
  visitToolTexts(definition, (field, text) => {
    draft.add(field, text);
  });
  return {
    hash: definition.hash,
    name: definition.name,
    nameTerms: [...draft.nameTerms],
    parameterTerms: [...draft.parameterTerms],
    // Copies have no room for more.
    terms: draft.terms.slice(),
    counts: draft.counts.slice(),
    length: draft.length,
    bytes: 600 + draft.terms.length * 24,
  };
}

class CardDraft {
  readonly terms: Word[] = [];
  readonly counts: number[] = [];
  readonly nameTerms = new Set<string>();
  readonly parameterTerms = new Set<string>();
  length = 0;
  readonly #count = nextCount();
  #tokensLeft = tokensMax;

  add(field: ToolField, text: string): void {
    const weight = fieldWeights[field];
    const words = readWords(text.slice(0, charactersPerTextMax), this.#tokensLeft);
    this.#tokensLeft -= words.length;
    this.length += weight * words.length;
    for (const word of words) {
      this.#weigh(word, weight);
      if (field === 'name') this.nameTerms.add(word.token);
      else if (field === 'parameterName' && this.parameterTerms.size < parameterTermsMax)
        this.parameterTerms.add(word.token);
    }
  }

  #weigh(word: Word, weight: number): void {
    if (word.count === this.#count) {
      this.counts[word.place] = (this.counts[word.place] ?? 0) + weight;
      return;
    }
    word.count = this.#count;
    word.place = this.counts.length;
    this.terms.push(word);
    this.counts.push(weight);
  }
}
