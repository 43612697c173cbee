/**
 * Runs the commands of the quick start with Docker Compose, as the page shows them, until a request is answered. No
 * container engine is needed: `docker build` is checked against the Dockerfile, and `docker compose up` starts the
 * services as processes, with the commands, variables, ports and mounts of the compose file.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readComposeFile, type ComposeService } from './compose-file.fixture.ts';
import { ComposeMachine } from './compose-machine.fixture.ts';
import { root } from './dockerfile.fixture.ts';
import { checkBuild, QuickStartShell, readCommands } from './quick-start.fixture.ts';

const [build = '', start = '', request = ''] = readCommands('With Docker Compose');

const images = new Set<string>();
let directory: string;
let machine: ComposeMachine;
let services: ReadonlyMap<string, ComposeService>;
let shell: QuickStartShell;

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
  shell = new QuickStartShell(directory, {
    docker: async ([command, ...args]) => {
      if (command === 'build') images.add(checkBuild(args));
      else if (command === 'compose') await compose(args);
      else throw new Error(`docker ${String(command)} is not known to the test`);
    },
  });
  await shell.open();
});
afterAll(async () => {
  await machine.down();
  shell.close();
  rmSync(directory, { recursive: true, force: true });
}, 30_000);

test('the page builds every image of the compose file', async () => {
  await shell.run(build);
  expect([...images].every((image) => /^agent-gateway\/[a-z-]+:\d/.test(image))).toBe(true);
});

test('the compose file starts the gateway, and its first request is answered', async () => {
  await shell.run(start);
  const published = '127.0.0.1:8080';
  expect(request).toContain(published);
  const commands = request.replaceAll(published, machine.addressOf(published, services));
  expect(JSON.parse(await shell.run(commands))).toMatchObject({
    choices: [{ message: { content: 'The sandbox heard: Hello!' }, finish_reason: 'stop' }],
  });
  // A service without a right in NATS or Redis would still start.
  for (const [name] of services)
    expect([name, machine.logOf(name)]).not.toEqual([
      name,
      expect.stringMatching(/NOPERM|ermissions [Vv]iolation/),
    ]);
}, 180_000);
