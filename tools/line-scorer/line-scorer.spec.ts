import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OnnxLineScorer } from './line-scorer.ts';
import { writeSmallScorer } from './small-scorer.ts';

let folder: string;
beforeAll(async () => {
  folder = await writeSmallScorer(await mkdtemp(join(tmpdir(), 'scorer-')), 512);
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a line scorer opened from a folder', () => {
  it("a line scorer opened from a folder returns the model's score for every line, for any number of lines", async () => {
    const scorer = await OnnxLineScorer.open(folder);
    const lines = Array.from({ length: 2_500 }, (_, at) => `nothing of interest stands here, part ${at}`);
    lines[1_700] = 'the invoice of the customer is overdue';
    const scores = await scorer.score('which invoice is overdue?', lines);
    expect(scores).toHaveLength(2_500);
    expect(scores.indexOf(Math.max(...scores))).toBe(1_700);
    expect(await scorer.score('anything', [])).toHaveLength(0);
    await scorer.release();
  });

  it('a folder with a broken manifest is rejected', async () => {
    const broken = await writeSmallScorer(await mkdtemp(join(tmpdir(), 'scorer-')), 512);
    await writeFile(join(broken, 'scorer.json'), '{"kind":"other"}');
    await expect(OnnxLineScorer.open(broken)).rejects.toThrow('kind');
    await rm(broken, { recursive: true });
  });
});
