import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EncoderField, EncoderText } from '../inference/inference-protocol.ts';
import { openReranker, openEncoder } from './open-models.ts';
import { crossFiles, sentenceFiles, writeFolder } from './small-models.fixture.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'models-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const text = (words: string, field: EncoderField = 'query'): EncoderText => [{ field, text: words }];
const rowsOf = (vectors: Float32Array, dimensions: number): Float32Array[] =>
  Array.from({ length: vectors.length / dimensions }, (_, at) =>
    vectors.slice(at * dimensions, (at + 1) * dimensions),
  );
const dot = (one: Float32Array | undefined, other: Float32Array | undefined): number =>
  Array.from(one ?? []).reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0);

describe('a sentence transformer directory', () => {
  it('yields unit-length vectors that are closer for texts with shared words, and independent of other texts', async () => {
    const encoder = await openEncoder(await writeFolder(directory, sentenceFiles()), 1);
    const texts = [text('create issue'), text('create_issue', 'name'), text('weather forecast'), text('')];
    const [issue, same, other] = rowsOf(await encoder.encode(texts), encoder.dimensions);
    expect(dot(issue, issue)).toBeCloseTo(1, 5);
    expect(dot(issue, same)).toBeCloseTo(1, 5);
    expect(dot(issue, other)).toBeLessThan(0.6);
    expect(await encoder.encode([text('create issue')])).toEqual(issue);
    await encoder.release();
  });

  it('is rejected if a file has another digest than in `digests.json`', async () => {
    const files = sentenceFiles();
    const digestOf = (name: string) =>
      createHash('sha256')
        .update(files[name] ?? '')
        .digest('hex');
    const digests = { 'model.onnx': digestOf('model.onnx'), 'tokenizer.json': digestOf('tokenizer.json') };
    await writeFolder(directory, { ...files, 'digests.json': JSON.stringify(digests) });
    await (await openEncoder(directory, 1)).release();
    await writeFile(join(directory, 'tokenizer.json'), `${String(files['tokenizer.json'])} `);
    await expect(openEncoder(directory, 1)).rejects.toThrow(/tokenizer\.json: the digest/);
  });

  it('can configure first-token pooling and a query prompt', async () => {
    const files = {
      ...sentenceFiles(),
      '1_Pooling/config.json': '{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}',
      'config_sentence_transformers.json': '{"prompts": {"query": "list ", "passage": ""}}',
    };
    const encoder = await openEncoder(await writeFolder(directory, files), 1);
    const [one, other] = rowsOf(
      await encoder.encode([text('create issue'), text('weather')]),
      encoder.dimensions,
    );
    expect(dot(one, other)).toBeCloseTo(1, 5);
    await encoder.release();
    const mean = { ...files, '1_Pooling/config.json': '{}' };
    const prompted = await openEncoder(await writeFolder(directory, mean), 1);
    const [question, tool] = rowsOf(
      await prompted.encode([text('mail'), text('list mail', 'name')]),
      prompted.dimensions,
    );
    expect(dot(question, tool)).toBeCloseTo(1, 5);
    expect(prompted.id).not.toBe(encoder.id);
    await prompted.release();
  });

  it('limits the number of tokens per text to the limit of its tokenizer', async () => {
    const encoder = await openEncoder(await writeFolder(directory, sentenceFiles()), 1);
    const long = `${'create '.repeat(40)}${'weather '.repeat(4000)}`;
    const [cut, short] = rowsOf(await encoder.encode([text(long), text('create')]), encoder.dimensions);
    expect(dot(cut, short)).toBeGreaterThan(0.6);
    await encoder.release();
  });
});

describe('a cross-encoder directory', () => {
  it('scores each text against a query, independently of other texts', async () => {
    const reranker = await openReranker(await writeFolder(directory, crossFiles()), 1);
    expect(reranker.reads).toEqual({ kind: 'pairs' });
    const scores = await reranker.scorePairs('weather', ['forecast forecast', 'mail', 'forecast']);
    expect([...scores]).toEqual([2, 0, 1]);
    await reranker.release();
  });
});

describe('an invalid model directory', () => {
  it.each(['nothing', 'model.onnx', 'tokenizer.json'])('fails to load: %s', async (what) => {
    const files = sentenceFiles();
    if (what === 'nothing') await rm(directory, { recursive: true });
    else await writeFolder(directory, { ...files, [what]: 'not a model' });
    await expect(openEncoder(directory, 1)).rejects.toThrow();
    await expect(openReranker(directory, 1)).rejects.toThrow();
  });

  it('fails to load as a reranker if the graph does not output a single score', async () => {
    await writeFolder(directory, sentenceFiles());
    await expect(openReranker(directory, 1)).rejects.toThrow(/no score/);
  });

  it('fails to load as an encoder if the graph does not output vectors', async () => {
    await writeFolder(directory, crossFiles());
    await expect(openEncoder(directory, 1)).rejects.toThrow(/no vectors/);
    await writeFile(join(directory, 'encoder.json'), '{}');
    await expect(openEncoder(directory, 1)).rejects.toThrow();
  });
});
