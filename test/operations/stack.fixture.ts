import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './dockerfile.fixture.ts';

/** Returns the names of the apps that run as processes. */
export function listApps(): string[] {
  return readdirSync(join(root, 'apps')).filter((app) => existsSync(join(root, 'apps', app, 'src/main.ts')));
}
