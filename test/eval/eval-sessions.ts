// Measures the cost and misses of sessions under several ways to choose their tools: `npm run eval:sessions
// -- --data DIR`. Replays the multi-turn sets (DIR/tools) and the transcripts (DIR/transcripts) against lists
// of 50, 100 and 300 tools. No model runs: the probability that it uses recovery is assumed to be 0.8, 0.9
// and 1. Prints tables, then one line of JSON. `--lane keyword` ranks without vectors, `--sessions N` takes N
// sessions from each source, and `--sizes 100` uses only lists of that size.
import { parseArgs } from 'node:util';
import { loadCatalog } from '@gateway/model-catalog';
import { printReport } from './sessions/report.ts';
import { loadSessions } from './sessions/load-sessions.ts';
import { prepareSubjects } from './sessions/prepare-subjects.ts';
import { measureList } from './sessions/measure-list.ts';

const sizes = [50, 100, 300];
/** One model for each prompt cache rule. */
const modelNames = [
  ['anthropic', 'claude-sonnet-4-5'],
  ['openai', 'gpt-5'],
  ['openai', 'gpt-4.1'],
  ['openai', 'gpt-4o'],
  ['deepseek', 'deepseek-chat'],
  ['google', 'gemini-2.5-flash'],
  ['mistral', 'mistral-large-latest'],
] as const;

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    /** The number of sessions taken from each source. */
    sessions: { type: 'string', default: '40' },
    lane: { type: 'string', default: 'semantic' },
    sizes: { type: 'string', default: sizes.join(',') },
  },
});
if (values.lane !== 'keyword' && values.lane !== 'semantic') throw new Error('--lane keyword|semantic');
const catalog = loadCatalog();
const models = modelNames
  .map(([provider, id]) => catalog.find(provider, id))
  .filter((model) => model !== undefined);
const data = loadSessions(values.data);
const report = [];
for (const size of values.sizes.split(',').map(Number)) {
  const subjects = prepareSubjects(data, {
    size,
    perSource: Number(values.sessions),
    lane: values.lane,
  });
  report.push(await measureList(subjects, size, models));
}
printReport(report);
process.exit(0);
