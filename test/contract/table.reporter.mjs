import { writeSync } from 'node:fs';
import { basename } from 'node:path';
import { lossesChannel } from './losses-channel.mjs';

/**
 * Counts test results by API and check. `checkEvery` nests each test in two `describe` blocks, which are
 * named after the check and the API. The last output line contains the totals as JSON.
 */
export default class TableReporter {
  #by = {};
  #losses = {};

  constructor() {
    lossesChannel.subscribe(({ from, to, field }) => {
      const pair = (this.#losses[`${from}->${to}`] ??= {});
      pair[field] = (pair[field] ?? 0) + 1;
    });
  }

  onTestResult({ path }, { testResults, testExecError }) {
    // A test file that could not run counts as one failed test.
    if (testExecError) this.#count('all', basename(path), 'failed');
    for (const { ancestorTitles, status } of testResults) {
      const [check = 'other', api = 'all'] = ancestorTitles;
      if (status === 'passed' || status === 'failed') this.#count(api, check, status);
    }
  }

  #count(api, check, status) {
    const counts = ((this.#by[api] ??= {})[check] ??= { passed: 0, failed: 0 });
    counts[status] += 1;
  }

  onRunComplete() {
    const rows = Object.entries(this.#by).flatMap(([api, checks]) =>
      Object.entries(checks).map(([check, counts]) => ({ api, check, ...counts })),
    );
    const sum = (name) => rows.reduce((total, row) => total + row[name], 0);
    const summary = { passed: sum('passed'), failed: sum('failed'), by: this.#by, losses: this.#losses };
    const table = rows.map(
      ({ api, check, passed, failed }) =>
        `  ${api.padEnd(18)} ${check.padEnd(34)} ${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed`,
    );
    // Jest prints more output after its reporters have run, but the totals must be the last line.
    process.once('exit', () => writeSync(1, `\n${table.join('\n')}\n\n${JSON.stringify(summary)}\n`));
  }
}
