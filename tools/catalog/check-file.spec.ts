import type { CatalogFileInput, ModelRecordInput } from '@gateway/model-catalog';
import { checkCatalog, listDaysMax } from './check-file.ts';
import { parseFactList } from './fact-list.ts';
import { UpdateReport } from './report.ts';

const today = '2026-11-23';
const model: ModelRecordInput = {
  provider: 'openai',
  modelId: 'm',
  formats: ['chat-completions'],
  contextWindow: null,
  maxOutputTokens: null,
  prices: { input: 1, output: 2 },
  capabilities: {
    tools: null,
    images: null,
    documents: null,
    jsonMode: null,
    streaming: true,
    thinking: null,
  },
  cache: null,
  releasedAt: null,
  sources: ['pi-ai'],
};
const fileOf = (change: Partial<ModelRecordInput>, takenOn = today): CatalogFileInput => ({
  sources: { 'pi-ai': { title: 't', licence: 'MIT', takenOn } },
  models: [{ ...model, ...change }],
});
const check = (file: CatalogFileInput, { facts = '', report = new UpdateReport() } = {}) =>
  checkCatalog(file, parseFactList(facts), report, today);

describe('the check of the catalogue', () => {
  test('the check passes for a complete model', () => {
    expect(check(fileOf({}))).toEqual({ errors: [], warnings: [] });
  });

  test('the check fails for a current model without a price, and names the file for the reason', () => {
    expect(check(fileOf({ prices: null })).errors).toEqual([
      'openai/m has no price. Add it, or a reason in tools/catalog/reasons.ts.',
    ]);
  });

  test.each<Partial<ModelRecordInput>>([
    { deprecated: true },
    { retiredAt: today },
    { kind: 'image', formats: [] },
    { provider: 'groq', modelId: 'groq/compound' },
  ])('the check requires no price for %j', (change) => {
    expect(check(fileOf({ prices: null, ...change })).errors).toEqual([]);
  });

  test('the check fails for a conflict between sources if no reason is stated', () => {
    const dispute = { field: 'input', other: 3, source: 'pi-ai' };
    expect(check(fileOf({ disputes: [dispute] })).errors[0]).toContain('openai/m: input is 3 in pi-ai');
    expect(check(fileOf({ disputes: [{ ...dispute, reason: 'older' }] })).errors).toEqual([]);
  });

  test('the check fails for an unknown field of a list, and for a model that cannot be parsed', () => {
    const report = new UpdateReport();
    report.add('unknown-field', 'openai/m', 'colour');
    report.add('unreadable', 'openai/n', 'cost');
    report.add('missing-field', 'openai/m', 'limit');
    expect(check(fileOf({}), { report }).errors).toEqual([
      'openai/m: colour: unknown field. Read it, or ignore it by name in tools/catalog.',
      'openai/n: cost: not readable',
    ]);
  });

  test('an old list causes a warning, but never an error', () => {
    const old = new Date(Date.parse(today) - (listDaysMax + 1) * 86_400_000).toISOString().slice(0, 10);
    const findings = check(fileOf({}, old));
    expect(findings.errors).toEqual([]);
    expect(findings.warnings).toEqual([
      expect.stringContaining(`pi-ai is ${String(listDaysMax + 1)} days old`),
    ]);
  });
});
