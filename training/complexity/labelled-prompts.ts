import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extractFeatures } from '@gateway/model-routing';

/** A prompt with the responses from a capable and a cheap model. */
export interface LabelledPrompt {
  readonly dataset: string;
  readonly characters: number;
  readonly features: Float64Array;
  /** 1 for a correct answer and 0 for a wrong one, or a grade if the set has grades. */
  readonly capable: number;
  readonly cheap: number;
  readonly gain: number;
  /** Digest of the prompt text, used to recognize prompts from the training data. */
  readonly digest: string;
}

interface Line {
  readonly dataset: string;
  readonly prompt: string;
  readonly correct: Readonly<Record<string, boolean | number>>;
}

const capableDefault = 'gpt-4-1106-preview';

/**
 * Reads `labelled.jsonl`. The capable model is the one named in the set's description, or else the one that
 * is right more often.
 */
export function loadLabelledPrompts(folder: string): LabelledPrompt[] {
  const lines = readFileSync(join(folder, 'labelled.jsonl'), 'utf8').split('\n').filter(Boolean);
  const rows = lines.map((line) => JSON.parse(line) as Line);
  const { capable, cheap } = chooseModels(rows);
  return rows.map(({ dataset, prompt, correct }) => {
    const [good, poor] = [Number(correct[capable]), Number(correct[cheap])];
    return {
      dataset,
      characters: prompt.length,
      features: extractFeatures(prompt),
      capable: good,
      cheap: poor,
      gain: good - poor,
      digest: createHash('sha256').update(prompt).digest('hex').slice(0, 12),
    };
  });
}

function chooseModels(rows: readonly Line[]): { capable: string; cheap: string } {
  const names = Object.keys(rows[0]?.correct ?? {});
  if (names.length !== 2) throw new Error('each prompt needs the answers of two models');
  const rightBy = (name: string): number => rows.reduce((sum, { correct }) => sum + Number(correct[name]), 0);
  const [one = '', other = ''] = names;
  if (names.includes(capableDefault)) {
    return { capable: capableDefault, cheap: one === capableDefault ? other : one };
  }
  return rightBy(one) >= rightBy(other) ? { capable: one, cheap: other } : { capable: other, cheap: one };
}
