// `npm run bench:<name>` and `npm run eval:<name>` prepare the checkout and run a benchmark or an evaluation.
import { join } from 'node:path';
import { prepareCheckout } from '../setup/prepare.ts';
import { root } from '../stack/root.ts';

const script = process.argv[2] ?? '';
await prepareCheckout();
process.argv.splice(1, 2, join(root, script));
await import(join(root, script));
