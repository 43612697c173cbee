// Counts tokens in a worker thread, so that counting never delays requests on the compressor's event loop.
import { countTokens } from '../text/count-tokens.ts';
import { serveTasks } from '../threads/serve-tasks.ts';

serveTasks((texts: readonly string[]) => texts.map(countTokens));
