import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OnnxEncoder } from './onnx-encoder.adapter.ts';

const shipped = join(import.meta.dirname, '../../../../models/tiny');
const options = { threads: 1 };
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'encoder-'));
  await cp(shipped, directory, { recursive: true });
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const dot = (one: Float32Array | undefined, other: Float32Array | undefined): number =>
  Array.from(one ?? []).reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0);

describe('the shipped encoder', () => {
  it('gives vectors of length one that are nearer for texts with the same words', async () => {
    const encoder = await OnnxEncoder.open(shipped, options);
    const [issue, same, other] = await encoder.encode([
      'create_issue',
      'creating issues',
      'weather forecast',
    ]);
    expect(issue).toHaveLength(encoder.dimensions);
    expect(dot(issue, issue)).toBeCloseTo(1, 5);
    expect(dot(issue, same)).toBeGreaterThan(dot(issue, other) + 0.2);
  });

  it('gives a text the same vector in any company', async () => {
    const encoder = await OnnxEncoder.open(shipped, options);
    const [alone] = await encoder.encode(['create_issue']);
    const [, together] = await encoder.encode([
      'a much longer text than that of the tool',
      'create_issue',
      '',
    ]);
    expect(dot(alone, together)).toBeCloseTo(1, 5);
    expect(await encoder.encode([])).toEqual([]);
  });
});

describe('an encoder that is not what it says', () => {
  it('does not open when the graph is broken', async () => {
    await writeFile(join(directory, 'model.onnx'), 'not a graph');
    await expect(OnnxEncoder.open(directory, options)).rejects.toThrow();
  });

  it('does not open when its vectors are not those of its manifest', async () => {
    const file = join(directory, 'encoder.json');
    const manifest = JSON.parse(await readFile(file, 'utf8')) as { check: { text: string } };
    manifest.check.text = 'another text';
    await writeFile(file, JSON.stringify(manifest));
    await expect(OnnxEncoder.open(directory, options)).rejects.toThrow(/does not give the vector/);
  });

  it('does not open without a manifest', async () => {
    await rm(join(directory, 'encoder.json'));
    await expect(OnnxEncoder.open(directory, options)).rejects.toThrow(/encoder.json/);
  });
});
