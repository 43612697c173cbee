import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extractFeatures } from '@gateway/model-routing';

/** A prompt with labels for a capable model's response and a cheap model's response. */
export interface LabelledPrompt {
  readonly dataset: string;
  readonly characters: number;
  readonly features: Float64Array;
  /**
   * The label of the capable model's response. Labels are 1 (correct) or 0 (wrong), or grades in data sets
   * with grades.
   */
  readonly capable: number;
  readonly cheap: number;
  readonly gain: number;
  /** Digest of the prompt text. The digest identifies prompts of the training data. */
  readonly digest: string;
}

/** The prompts in a folder, and the number of unusable lines for each reason. */
export interface LabelledPrompts {
  readonly prompts: readonly LabelledPrompt[];
  readonly skipped: Readonly<Record<SkipReason, number>>;
}

type SkipReason = 'not_json' | 'no_prompt' | 'no_labels' | 'other_models';

interface Row {
  readonly dataset: string;
  readonly prompt: string;
  readonly correct: ReadonlyMap<string, number>;
}

const capableDefault = 'gpt-4-1106-preview';

/**
 * Reads `labelled.jsonl`. Compares the two models with labels in the most lines. The capable model is the
 * model that the data set's description names, or the model with more correct answers. Lines without a JSON
 * object, without a prompt, or without a label for each of the two models are counted and skipped.
 * @throws if no line is usable
 */
export function loadLabelledPrompts(folder: string): LabelledPrompts {
  const file = join(folder, 'labelled.jsonl');
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const skipped = { not_json: 0, no_prompt: 0, no_labels: 0, other_models: 0 };
  const rows = lines.flatMap((line) => {
    const row = readRow(line);
    if (typeof row !== 'string') return [row];
    skipped[row] += 1;
    return [];
  });
  const { capable, cheap } = chooseModels(rows);
  const prompts = rows.flatMap((row) => {
    const [good, poor] = [row.correct.get(capable), row.correct.get(cheap)];
    if (good !== undefined && poor !== undefined) return [describePrompt(row, good, poor)];
    skipped.other_models += 1;
    return [];
  });
  if (prompts.length === 0) throw new Error(`${file} has no line with a prompt and the labels of two models`);
  return { prompts, skipped };
}

function readRow(line: string): Row | SkipReason {
  const value = readJson(line);
  if (!isObject(value)) return 'not_json';
  const { dataset, prompt, correct } = value;
  if (typeof prompt !== 'string' || prompt === '') return 'no_prompt';
  const labels = isObject(correct) ? Object.entries(correct) : [];
  const grades = labels.flatMap(([model, label]) => {
    const isLabel = typeof label === 'boolean' || (typeof label === 'number' && Number.isFinite(label));
    return isLabel ? [[model, Number(label)] as const] : [];
  });
  if (grades.length < 2) return 'no_labels';
  return { dataset: typeof dataset === 'string' ? dataset : 'unnamed', prompt, correct: new Map(grades) };
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describePrompt({ dataset, prompt }: Row, capable: number, cheap: number): LabelledPrompt {
  return {
    dataset,
    characters: prompt.length,
    features: extractFeatures(prompt),
    capable,
    cheap,
    gain: capable - cheap,
    digest: createHash('sha256').update(prompt).digest('hex').slice(0, 12),
  };
}

function chooseModels(rows: readonly Row[]): { capable: string; cheap: string } {
  const counts = new Map<string, number>();
  for (const { correct } of rows) {
    for (const name of correct.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].toSorted((a, b) => b[1] - a[1]).map(([name]) => name);
  const rightBy = (name: string): number =>
    rows.reduce((sum, { correct }) => sum + (correct.get(name) ?? 0), 0);
  const [one = '', other = ''] = names;
  if ([one, other].includes(capableDefault)) {
    return { capable: capableDefault, cheap: one === capableDefault ? other : one };
  }
  return rightBy(one) >= rightBy(other) ? { capable: one, cheap: other } : { capable: other, cheap: one };
}
