import type { ToolCard } from './tool-card.ts';

/**
 * BM25's usual constants (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009), over one weighted
 * field. Tried on the public sets with `npm run eval:tools`: k1 from 0.9 to 2 and b from 0.3 to 0.9 move recall@5
 * by less than a point.
 */
const k1 = 1.2;
const b = 0.6;

interface Postings {
  readonly positions: Int32Array;
  /** What the term adds to each tool's score: saturated weighted count × inverse document frequency. */
  readonly gains: Float64Array;
}

/** An inverted index over one tool list, in the client's order. */
export interface ToolListIndex {
  readonly listHash: string;
  /** By position: the hash of the definition. */
  readonly hashes: readonly string[];
  /** By position; null for a tool without a name. The cards themselves are not held, so that their own bound holds. */
  readonly names: readonly (string | null)[];
  /** By position: the words of the name, each once. */
  readonly nameTerms: readonly (readonly string[])[];
  /** By position: words of the parameters' names. */
  readonly parameterTerms: readonly (readonly string[])[];
  readonly positionsByName: ReadonlyMap<string, readonly number[]>;
  readonly postings: ReadonlyMap<string, Postings>;
  /** By position: its place when the tools are sorted by name and definition. Breaks ties. */
  readonly tieRanks: Uint32Array;
  /** A rough size in memory, for the bound of whoever keeps it. */
  readonly bytes: number;
}

/** Builds the index once a list; a question then costs only the postings of its own words. */
export function indexToolList(listHash: string, cards: readonly ToolCard[]): ToolListIndex {
  // Lengths are whole numbers, so that this sum is the same in whatever order the tools came.
  const lengthMean = cards.reduce((sum, card) => sum + card.length, 0) / Math.max(1, cards.length);
  const postings = weighPostings(cards, lengthMean);
  let bytes = cards.length * 330;
  for (const each of postings.values()) bytes += 160 + each.positions.length * 12;
  return {
    listHash,
    hashes: cards.map(({ hash }) => hash),
    names: cards.map(({ name }) => name),
    nameTerms: cards.map(({ nameTerms }) => nameTerms),
    parameterTerms: cards.map(({ parameterTerms }) => parameterTerms),
    positionsByName: groupByName(cards),
    postings,
    tieRanks: rankTies(cards),
    bytes,
  };
}

function rankTies(cards: readonly ToolCard[]): Uint32Array {
  const sorted = cards
    .map((card, position) => ({ key: `${card.name ?? ''}\n${card.hash}`, position }))
    .sort((one, other) =>
      one.key < other.key ? -1 : one.key > other.key ? 1 : one.position - other.position,
    );
  const ranks = new Uint32Array(cards.length);
  sorted.forEach(({ position }, rank) => (ranks[position] = rank));
  return ranks;
}

function groupByName(cards: readonly ToolCard[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  cards.forEach(({ name }, position) => {
    if (name === null) return;
    const same = positions.get(name);
    if (same === undefined) positions.set(name, [position]);
    else same.push(position);
  });
  return positions;
}

function weighPostings(cards: readonly ToolCard[], lengthMean: number): Map<string, Postings> {
  const positionsByTerm = new Map<string, number[]>();
  cards.forEach((card, position) => {
    for (const term of card.terms.keys()) {
      const positions = positionsByTerm.get(term);
      if (positions === undefined) positionsByTerm.set(term, [position]);
      else positions.push(position);
    }
  });
  const postings = new Map<string, Postings>();
  for (const [term, positions] of positionsByTerm) {
    const idf = inverseDocumentFrequency(positions.length, cards.length);
    const gains = Float64Array.from(positions, (position) => {
      const card = cards[position];
      return card === undefined ? 0 : idf * saturate(card.terms.get(term) ?? 0, card.length, lengthMean);
    });
    postings.set(term, { positions: Int32Array.from(positions), gains });
  }
  return postings;
}

function inverseDocumentFrequency(documents: number, total: number): number {
  return Math.log(1 + (total - documents + 0.5) / (documents + 0.5));
}

/** `count` is in quarters, as the cards keep it. */
function saturate(count: number, length: number, lengthMean: number): number {
  const weighted = count / 4;
  const norm = 1 - b + (b * length) / Math.max(1, lengthMean);
  return (weighted * (k1 + 1)) / (weighted + k1 * norm);
}
