// `npm run test:compat [-- --against REF] [-- words]`: the services of the release before run beside the new ones, two of each,
// through the whole e2e suite: what one says the other must understand. The release before is the newest tag `v…` that is not
// this commit; REF names another commit. Without a release before there is nothing to compare, and it says so.
import { parseArgs } from 'node:util';
import { runSuite } from '../bootstrap/commands/suites.ts';
import { findPreviousRelease, unpackRelease } from './previous-release.ts';

const { values: flags, positionals } = parseArgs({
  options: { against: { type: 'string' } },
  allowPositionals: true,
});

const reference = flags.against ?? findPreviousRelease();
if (reference === null) {
  console.log('There is no release before this one (a tag v…): contracts are compared from the second on.');
} else {
  console.log(`The services of ${reference} beside those of this checkout.`);
  process.env['COMPAT_TREE'] = unpackRelease(reference);
  process.exitCode = (await runSuite('e2e', positionals)).exitCode;
}
