// Generates Prisma clients into prisma/<owner>/generated.
// The command generates the clients of every owner, or of the owners named as arguments.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const only = process.argv.slice(2);
const cli = join(root, 'node_modules/prisma/build/index.js');

const owners = readdirSync(join(root, 'prisma')).filter(
  (owner) =>
    existsSync(join(root, 'prisma', owner, 'schema.prisma')) && (only.length === 0 || only.includes(owner)),
);
const unknown = only.filter((owner) => !owners.includes(owner));
if (unknown.length > 0) {
  console.error(`no prisma/<owner>/schema.prisma for: ${unknown.join(', ')}`);
  process.exit(1);
}

for (const owner of owners) {
  const run = spawnSync(
    process.execPath,
    [cli, 'generate', '--schema', join(root, 'prisma', owner, 'schema.prisma')],
    {
      cwd: root,
      // Prisma 7 generates clients without an engine, but the CLI would still download an engine.
      env: {
        ...process.env,
        PRISMA_SCHEMA_ENGINE_BINARY: existsSync('/bin/true') ? '/bin/true' : '/usr/bin/true',
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
        CHECKPOINT_DISABLE: '1',
      },
      encoding: 'utf8',
    },
  );
  if (run.status !== 0) {
    console.error(run.stdout + run.stderr);
    process.exit(run.status ?? 1);
  }
}
console.log(`generated the Prisma clients of ${owners.join(', ')}`);
