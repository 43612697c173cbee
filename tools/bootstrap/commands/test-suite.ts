// `npm run test:<dir> [-- words, Jest options, --data DIR]` runs the tests of a directory.
// `npm run test:nightly` runs the long tests of all directories.
import { prepareCheckout } from '../setup/prepare.ts';
import { listSuites, runSuite } from './suites.ts';

const [suite = '', ...args] = process.argv.slice(2);
await prepareCheckout();

let exitCode = 0;
if (suite === 'nightly') {
  for (const directory of listSuites('nightly')) {
    const outcome = await runSuite(directory, args, { isNightly: true });
    exitCode ||= outcome.exitCode;
  }
} else if (suite === '') {
  console.error(`Name a suite: ${listSuites('daily').join(', ')}`);
  exitCode = 2;
} else {
  exitCode = (await runSuite(suite, args)).exitCode;
}
process.exitCode = exitCode;
