// `npm run test:compat [-- --against REF] [-- words]` runs the e2e suite with two instances of each service.
// One instance of a service runs the previous release, and the other instance runs this checkout.
// Old and new services must be able to read each other's messages.
// The previous release is the newest tag `v…` that does not contain this commit. REF selects another commit.
// If no previous release exists, the command prints a message and exits.
import { parseArgs } from 'node:util';
import { runSuite } from '../bootstrap/commands/suites.ts';
import { findPreviousRelease, unpackRelease } from './previous-release.ts';

const { values: flags, positionals } = parseArgs({
  options: { against: { type: 'string' } },
  allowPositionals: true,
});

const reference = flags.against ?? findPreviousRelease();
if (reference === null) {
  console.log('There is no previous release (a tag v…), so nothing can be compared.');
} else {
  console.log(`Running the services of ${reference} together with those of this checkout.`);
  process.env['COMPAT_TREE'] = unpackRelease(reference);
  process.exitCode = (await runSuite('e2e', positionals)).exitCode;
}
