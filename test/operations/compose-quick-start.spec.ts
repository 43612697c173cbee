/**
 * Runs the commands of the quick start with Docker Compose, as the page shows them, until a request is answered. No
 * container engine is needed: `docker build` is checked against the Dockerfile, and `docker compose up` starts the
 * services as processes, with the commands, variables, ports and mounts of the compose file.
 */
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { readComposeFile, type ComposeService } from './compose-file.fixture.ts';
import { ComposeMachine } from './compose-machine.fixture.ts';
import { readStages, root } from './dockerfile.fixture.ts';

const page = readFileSync(join(root, 'docs/guides/quick-start.md'), 'utf8');
const section = page.split(/^## /m).find((each) => each.startsWith('With Docker Compose')) ?? '';
const [build = '', start = '', request = ''] = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(
  ([, commands]) => commands,
);

const images = new Set<string>();
let directory: string;
let machine: ComposeMachine;
let services: ReadonlyMap<string, ComposeService>;
let docker: Server;

/** Notes an image. Throws unless the Dockerfile has the stage, and the checkout the app. */
function buildImage(args: readonly string[]): void {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      file: { type: 'string', short: 'f', default: 'Dockerfile' },
      tag: { type: 'string', short: 't', default: '' },
      target: { type: 'string', default: 'app' },
      'build-arg': { type: 'string', default: 'APP=' },
    },
  });
  if (positionals.join() !== '.' || !existsSync(join(root, values.file))) throw new Error('no such context');
  if (!readStages().has(values.target)) throw new Error(`no stage ${values.target}`);
  const app = values['build-arg'].replace('APP=', '');
  if (values.target === 'app' && !existsSync(join(root, 'apps', app, 'src/main.ts')))
    throw new Error(`no app ${app}`);
  images.add(values.tag);
}

async function compose(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'env-file': { type: 'string', default: '.env' },
      file: { type: 'string', short: 'f', default: 'compose.yaml' },
      profile: { type: 'string', multiple: true, default: [] },
      detach: { type: 'boolean', short: 'd' },
      wait: { type: 'boolean' },
    },
  });
  expect(positionals).toEqual(['up']);
  services = readComposeFile(join(root, values.file), join(root, values['env-file']), values.profile);
  const missing = [...services.values()].filter(
    ({ image }) => !images.has(image) && !image.includes('@sha256:'),
  );
  if (missing.length > 0) throw new Error(`no image ${missing.map(({ image }) => image).join(', ')}`);
  await machine.up(services);
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'compose-quick-start-'));
  chmodSync(directory, 0o755);
  machine = new ComposeMachine(directory);
  mkdirSync(join(directory, 'path'));
  copyFileSync(join(import.meta.dirname, 'compose-docker.mjs'), join(directory, 'path/docker'));
  chmodSync(join(directory, 'path/docker'), 0o755);
  docker = createServer((incoming, answer) => {
    json(incoming)
      .then(async (body) => {
        const [command, ...args] = z.array(z.string()).parse(body);
        if (command === 'build') buildImage(args);
        else if (command === 'compose') await compose(args);
        else throw new Error(`docker ${String(command)} is not known to the test`);
        answer.end();
      })
      .catch((error: unknown) => answer.writeHead(500).end(String(error)));
  });
  await new Promise<void>((listening) => docker.listen(0, '127.0.0.1', listening));
});
afterAll(async () => {
  await machine.down();
  docker.close();
  rmSync(directory, { recursive: true, force: true });
}, 30_000);

/** Runs commands of the page in the checkout, and returns their output. */
async function run(commands: string): Promise<string> {
  const { port } = docker.address() as AddressInfo;
  const path = [join(directory, 'path'), join(process.execPath, '..'), '/usr/bin', '/bin'].join(':');
  const env = { HOME: process.env['HOME'], PATH: path, DOCKER_OF_TEST: `http://127.0.0.1:${port}` };
  return (await promisify(execFile)('sh', ['-ec', commands], { cwd: root, env })).stdout;
}

test('the page builds every image of the compose file', async () => {
  await run(build);
  expect([...images].every((image) => /^agent-gateway\/[a-z-]+:\d/.test(image))).toBe(true);
});

test('the compose file starts the gateway, and its first request is answered', async () => {
  await run(start);
  const published = '127.0.0.1:8080';
  expect(request).toContain(published);
  const commands = request.replaceAll(published, machine.addressOf(published, services));
  expect(JSON.parse(await run(commands))).toMatchObject({
    choices: [{ message: { content: 'The sandbox heard: Hello!' }, finish_reason: 'stop' }],
  });
  // A service without a right in NATS or Redis would still start.
  for (const [name] of services)
    expect([name, machine.logOf(name)]).not.toEqual([
      name,
      expect.stringMatching(/NOPERM|ermissions [Vv]iolation/),
    ]);
}, 180_000);
