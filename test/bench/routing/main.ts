// `npm run bench:routing [-- --models 300]` measures the CPU time of choosing a model.
// The script prints a table, then one line of JSON.
import { parseArgs } from 'node:util';
import { loadCatalog } from '@gateway/model-catalog';
import {
  chooseModel,
  listModels,
  loadComplexityModel,
  routingModes,
  type RoutingMode,
  type RoutingQuestion,
} from '@gateway/model-routing';

const { values } = parseArgs({
  options: { models: { type: 'string', default: '300' }, rounds: { type: 'string', default: '3000' } },
});
const rounds = Number(values.rounds);
const models = [...listModels(loadCatalog().models).values()].flat().slice(-Number(values.models));
const complexityModel = loadComplexityModel();
const prompt = 'Find the race condition in the queue consumer, and write a test that reproduces it. '.repeat(
  12,
);

const question: RoutingQuestion = {
  mode: 'auto',
  models,
  needs: {
    ...{ tools: true, images: false, documents: false, jsonMode: false, streaming: true, thinking: false },
    ...{ inputTokens: 20_000, outputTokensMax: 4_000, marksCache: true },
  },
  policy: { allowedProviders: null, turnedOff: new Set(['openai/gpt-4o']), maxCostUsdPerMtok: 100 },
  complexity: 0.2,
  thresholds: complexityModel.thresholds,
  latency: () => ({ firstTokenMs: 400, msPerToken: 10, weight: 3 }),
  recall: () => ({ judged: 30, recalled: 29 }),
  pin: null,
  chance: 1,
  now: Date.now(),
};

const byMode = Object.fromEntries(
  routingModes.map((mode) => [mode, measureMs(() => chooseModel({ ...question, mode }))]),
) as Record<RoutingMode, number>;
const scoreMs = measureMs(() => complexityModel.score(prompt));
console.log(`${models.length} models, ${rounds} rounds`);
for (const [mode, ms] of Object.entries(byMode)) console.log(`svc/${mode}`.padEnd(14), `${ms.toFixed(4)} ms`);
console.log('complexity'.padEnd(14), `${scoreMs.toFixed(4)} ms (${prompt.length} characters)`);
console.log(JSON.stringify({ models: models.length, ms: byMode, complexity_ms: scoreMs }));

/**
 * Returns the CPU time per function call. Before the measurement, the same number of calls warms up the
 * code.
 */
function measureMs(run: () => unknown): number {
  for (let round = 0; round < rounds; round += 1) run();
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / rounds;
}
