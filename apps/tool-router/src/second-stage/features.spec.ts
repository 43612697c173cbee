import type { ToolDefinition } from '@gateway/contracts';
import { makeToolCard } from '../tool-index/tool-card.ts';
import { indexToolList } from '../tool-index/keyword-index.ts';
import { featureNames, type FeatureName } from './feature-names.ts';
import { computeFeatures } from './features.ts';
import { makeStageList } from './stage-list.ts';
import { readStageTurn } from './stage-turn.ts';
import { Synonyms } from './soft-match.ts';

const dimensions = 8;
const tools: readonly ToolDefinition[] = (
  [
    ['send_message', 'Sends a message to a user.', ['user_id', 'text']],
    ['get_user_id', 'Looks up the id of a user by name.', ['name']],
    ['delete_file', 'Deletes a file.', ['path']],
    ['list_files', 'Lists the files of a folder.', ['folder']],
    ['forecast', 'Weather of a city.', ['city']],
  ] as const
).map(([name, description, parameters]) => ({
  hash: name,
  name,
  description,
  parameters: { properties: Object.fromEntries(parameters.map((parameter) => [parameter, {}])) },
  examples: [],
}));

/** Returns a deterministic unit vector for a text. */
function vectorOf(text: string): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, (_, at) =>
    Math.sin(Buffer.from(text).reduce((sum, byte) => (sum * 31 + byte) % 9973, at)),
  );
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** Feature values by tool and feature name. */
function measure(list: readonly ToolDefinition[], turn: string, synonyms = Synonyms.none) {
  const cards = list.map(makeToolCard);
  const stageTurn = readStageTurn([turn], 0);
  const matrix = new Float32Array(list.length * dimensions);
  list.forEach(({ name }, at) => {
    matrix.set(vectorOf(name ?? ''), at * dimensions);
  });
  const features = computeFeatures(
    makeStageList(indexToolList('', cards), cards),
    stageTurn,
    { dimensions, tools: matrix, texts: stageTurn.texts.map((_, at) => vectorOf(`${turn} ${at}`)) },
    synonyms,
  );
  return new Map(
    list.map(({ name }, at) => [
      name,
      Object.fromEntries(
        featureNames.map((feature, column) => [feature, features[at * featureNames.length + column] ?? NaN]),
      ) as Record<FeatureName, number>,
    ]),
  );
}

describe('tool features', () => {
  const turn = 'Send Ann a message that the file is there, then tell me about the weather';

  it('are identical at every position in the list', () => {
    const forth = measure(tools, turn);
    const back = measure(tools.toReversed(), turn);
    for (const { name } of tools) expect(back.get(name)).toEqual(forth.get(name));
  });

  it.each(['', '???', 'the', 'send', 'x'.repeat(100_000), 'nothing of this kind at all. '.repeat(500)])(
    'are finite for any turn, even for a list with a single tool: %#',
    (text) => {
      for (const list of [tools, tools.slice(0, 1)]) {
        for (const features of measure(list, text).values()) {
          expect(Object.values(features).every(Number.isFinite)).toBe(true);
        }
      }
    },
  );

  it('find the tool for each task in a turn', () => {
    const measured = measure(tools, turn);
    expect(measured.get('send_message')?.segment_share).toBe(1);
    expect(measured.get('forecast')?.segment_share).toBe(1);
    expect(measured.get('list_files')?.segment_share).toBeLessThan(1);
  });

  it('find the tool that supplies another tool’s parameter', () => {
    const measured = measure(tools, 'send a message');
    const supplied = measured.get('get_user_id')?.affinity_parameters ?? 0;
    expect(supplied).toBeGreaterThan(0.5);
    expect(supplied).toBeGreaterThan(measured.get('delete_file')?.affinity_parameters ?? 0);
  });

  it('mark tools that an agent uses to ask its user', () => {
    const asking = {
      name: 'ask_user',
      description: 'Puts a question.',
      parameters: null,
      hash: 'ask',
      examples: [],
    };
    const measured = measure([...tools, asking], turn);
    expect([...measured].filter(([, { asks_user: marked }]) => marked === 1).map(([name]) => name)).toEqual([
      'ask_user',
    ]);
  });

  it('match words despite small spelling differences', () => {
    const measured = measure(tools, 'weathr forcast');
    expect(measured.get('forecast')?.keyword_share).toBe(0);
    expect(measured.get('forecast')?.soft_share).toBe(1);
  });
});

describe('synonyms', () => {
  /** In this file of synonyms, "ship" is a neighbour of "send". */
  const synonyms = Synonyms.parse(
    Buffer.concat([
      Uint8Array.of(12, 0, 0, 0),
      Buffer.from('ship\nsend\n\n\n'),
      new Uint8Array(Uint32Array.of(0, 1, 1).buffer),
      new Uint8Array(Uint16Array.of(1).buffer),
      Uint8Array.of(204),
    ]),
  );

  it('are read from their file', () => {
    const near: unknown[] = [];
    synonyms.visitNeighbours('ship', (word, cosine) => near.push([word, cosine]));
    synonyms.visitNeighbours('send', (word, cosine) => near.push([word, cosine]));
    synonyms.visitNeighbours('unknown', (word, cosine) => near.push([word, cosine]));
    expect(near).toEqual([['send', 0.8]]);
  });

  it('apply to a tool that does not contain the word itself', () => {
    const measured = measure(tools, 'ship it', synonyms);
    expect(measured.get('send_message')?.keyword_share).toBe(0);
    expect(measured.get('send_message')?.soft_share).toBe(1);
  });
});
