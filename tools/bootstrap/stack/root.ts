import { join } from 'node:path';

/** The repository's root directory. */
export const root = join(import.meta.dirname, '../../..');
