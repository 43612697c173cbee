// Writes the model cards with the measurements from training/figures.json.
// `npm run -s eval:tools | node training/cards.ts` stores the last line of its input as figures.json.
// The command then writes the three model cards.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const figuresFile = join(import.meta.dirname, 'figures.json');
const figures = z.object({ 'recall@5': z.number(), 'recall@10': z.number(), 'all@10': z.number() });
const pools = z.record(z.string(), figures);
const path = z.object({ mean: pools, sets: z.record(z.string(), pools) });
const target = z.object({
  recall: z.number(),
  recall_worst_set: z.number(),
  tools_kept: z.number(),
  schema_tokens_kept: z.number(),
});
const figuresSchema = path.extend({
  bm25_fielded: path,
  keyword: path,
  first_encoder: path,
  first_turn: path,
  targets: z.record(z.string(), target),
  ms: z.record(z.string(), z.object({ rank_p50: z.number(), rank_p99: z.number() })),
});
export type EvaluatedFigures = z.output<typeof figuresSchema>;
const cardNames = ['encoder', 'reranker', 'minilm'] as const;
export type CardName = (typeof cardNames)[number];

/**
 * Reads the measurements from figures.json.
 * @throws if the file is missing or has unexpected content
 */
export function readFigures(): EvaluatedFigures {
  return figuresSchema.parse(JSON.parse(readFileSync(figuresFile, 'utf8')));
}

/** Renders the text for a model's `card.md`. */
export function renderCard(name: CardName, all: EvaluatedFigures): string {
  const text = readFileSync(join(import.meta.dirname, `card-${name}.md`), 'utf8');
  return `${text.trimEnd()}\n\n${renderTables(all)}`;
}

function writeCards(): void {
  const line = readFileSync(0, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  const all = figuresSchema.parse(JSON.parse(line));
  writeFileSync(figuresFile, `${JSON.stringify(all, null, 2)}\n`);
  for (const name of cardNames) {
    writeFileSync(join(import.meta.dirname, '../models', name, 'card.md'), renderCard(name, all));
  }
}

/** The sentences above the tables of measurements. */
const explanation = [
  'The next two tables show recall@5 / recall@10 / all golds@10 in per cent (`npm run eval:tools`).',
  '“First encoder” is `models/encoder` with `models/reranker`, which rank the first conversations with a tool list.',
  '“Both encoders” is `models/encoder` and `models/minilm`, with the second stage in `models/minilm`.',
  'Each set is ranked by models that were trained neither on the set nor on a set of its family.',
  'The transcript has the form in which the gateway sends it to the ranker.',
  'The first turn determines the tool set of a conversation, so the last column uses only the first turn.',
  'The last column counts the tools that the newest turn needs.',
];

function renderTables(all: EvaluatedFigures): string {
  const names = ['recall@5', 'recall@10', 'all@10'] as const;
  const cells = (from: z.output<typeof pools> | undefined, pool: string): string =>
    names.map((name) => percent(from?.[pool]?.[name])).join(' / ');
  const row = (label: string, pool: string, of: (each: z.output<typeof path>) => typeof all.mean): string =>
    `| ${label} | ${[all.bm25_fielded, all.keyword, all.first_encoder, all, all.first_turn].map((each) => cells(of(each), pool)).join(' | ')} |`;
  const header = [
    'BM25 fielded, last message',
    'keyword path',
    'first encoder',
    'both encoders',
    'both encoders, first turn only',
  ];
  return [
    '## Figures',
    '',
    ...explanation,
    '',
    `| mean of sets, candidates | ${header.join(' | ')} |`,
    '|---|---|---|---|---|---|',
    ...Object.keys(all.mean).map((pool) => row(pool, pool, ({ mean }) => mean)),
    '',
    `| 100 candidates | ${header.join(' | ')} |`,
    '|---|---|---|---|---|---|',
    ...Object.keys(all.sets).map((set) => row(set, '100', ({ sets }) => sets[set] ?? {})),
    '',
    'The next table shows the tools kept at a recall target, with 100 candidates and a threshold found on 100 questions of the set itself:',
    '',
    '| target | recall | worst set | tools kept | schema tokens kept |',
    '|---|---|---|---|---|',
    ...Object.entries(all.targets).map(
      ([at, each]) =>
        `| ${percent(Number(at))} | ${percent(each.recall)} | ${percent(each.recall_worst_set)} | ${percent(each.tools_kept)} | ${percent(each.schema_tokens_kept)} |`,
    ),
    '',
  ].join('\n');
}

function percent(value: number | undefined): string {
  return value === undefined ? '-' : (100 * value).toFixed(1);
}

// `writeCards` uses the constants above, so its call comes last.
if (import.meta.main) writeCards();
