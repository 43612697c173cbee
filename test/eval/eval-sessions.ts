// `npm run eval:sessions -- --data DIR` measures the cost and recall of several methods for choosing tools.
// The script replays the multi-turn sets (DIR/tools) and the transcripts (DIR/transcripts).
// The replays use lists of 50, 100 and 300 tools, with the tool router's real planner and routing policy.
// Short prompts have 300 tokens of instructions and 80 tokens per tool result.
// Long prompts have 8,000 tokens of instructions and 800 tokens per tool result.
// No model is run, so effective recall is computed with the routing policy's recovery rate.
// The script prints tables, then one line of JSON.
// `--lane keyword` ranks tools without vectors, and `--sessions N` takes N sessions from each source.
// `--sizes 100` uses only lists of 100 tools, and `--models anthropic` uses only Anthropic models.
// `--lengths shuffled` exchanges the lengths of the tools in each list.
// Policies for models with bound reasoning come from other sessions than the reported sessions.
// `--learning` compares policies without and with account heads instead, for accounts with one tool list.
// Several names are separated by commas. `--models claude-opus-5-5` uses only Claude Opus 5.5.
import { parseArgs } from 'node:util';
import { loadCatalog } from '@gateway/model-catalog';
import { printReport } from './sessions/report.ts';
import { loadSessions } from './sessions/load-sessions.ts';
import { prepareSubjects } from './sessions/prepare-subjects.ts';
import { isBound } from './sessions/measure-bound.ts';
import { measureLearning } from './sessions/measure-learning.ts';
import { measureList } from './sessions/measure-list.ts';
import { loadTranscripts } from './compression/transcripts.ts';
import { measureResultShare, promptSizeNames } from './sessions/prompt-sizes.ts';
import { join } from 'node:path';

const sizes = [50, 100, 300];
/** The maximum number of sessions of each source that only determine policies for models with bound reasoning. */
const choosersPerSource = 60;
/**
 * One current model for each prompt cache rule, plus models with bound reasoning. Conversations with bound
 * reasoning keep the same tool list.
 */
const modelNames = [
  ['anthropic', 'claude-sonnet-5'],
  ['openai', 'gpt-6-sol'],
  ['deepseek', 'deepseek-flash'],
  ['google', 'gemini-4-carbon'],
  ['mistral', 'mistral-large-4'],
  ['anthropic', 'claude-opus-5-5'],
  ['anthropic', 'claude-sonnet-5-5'],
  ['openai', 'gpt-6.2-astra'],
] as const;

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    /** The number of sessions taken from each source. */
    sessions: { type: 'string', default: '40' },
    lane: { type: 'string', default: 'semantic' },
    sizes: { type: 'string', default: sizes.join(',') },
    models: { type: 'string', default: '' },
    lengths: { type: 'string', default: 'own' },
    learning: { type: 'boolean', default: false },
  },
});
if (values.lane !== 'keyword' && values.lane !== 'semantic') throw new Error('--lane keyword|semantic');
if (values.lengths !== 'own' && values.lengths !== 'shuffled') throw new Error('--lengths own|shuffled');
const catalog = loadCatalog();
const models = modelNames
  .filter(([provider, id]) => {
    const wanted = values.models.split(',');
    return values.models === '' || wanted.includes(provider) || wanted.includes(id);
  })
  .map(([provider, id]) => {
    const model = catalog.find(provider, id);
    if (model === undefined) throw new Error(`the catalogue has no ${provider}/${id}`);
    return model;
  });
const data = loadSessions(values.data);
if (values.learning) {
  const given = { lane: values.lane, perSource: Number(values.sessions) } as const;
  const rows = [];
  for (const size of values.sizes.split(',').map(Number))
    rows.push(...(await measureLearning(data, { ...given, size }, models)));
  console.table(rows);
  console.log(JSON.stringify({ learning: rows }));
  process.exit(0);
}
const resultShare = measureResultShare(loadTranscripts(join(values.data, 'transcripts')));
const report = [];
for (const size of values.sizes.split(',').map(Number)) {
  const given = { size, lane: values.lane, lengths: values.lengths } as const;
  const perSource = Number(values.sessions);
  const reported = prepareSubjects(data, { ...given, perSource });
  const choosers = models.some(isBound)
    ? prepareSubjects(data, { ...given, perSource: choosersPerSource, skip: perSource })
    : [];
  for (const prompt of promptSizeNames)
    report.push(await measureList({ reported, choosers }, { tools: size, prompt }, models, resultShare));
}
printReport(report);
process.exit(0);
