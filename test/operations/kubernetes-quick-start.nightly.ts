/**
 * Runs the commands of the quick start with Kubernetes, as the page shows them, until a request is answered. No cluster
 * is needed: `kubectl apply` starts the workloads as processes, with the commands, variables, Secrets and ports of the
 * rendered objects. The suite `k8s` checks the same objects against the schemas of Kubernetes.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { manifest, renderKustomization, type Manifest } from '../k8s/kustomize.fixture.ts';
import { listWorkloads } from '../k8s/workloads.fixture.ts';
import { forwardPort, listServicePorts, readClusterServices } from './cluster.fixture.ts';
import { ComposeMachine } from './compose-machine.fixture.ts';
import { root } from './dockerfile.fixture.ts';
import { checkBuild, QuickStartShell, readCommands } from './quick-start.fixture.ts';

const [build = '', , request = ''] = readCommands('With Docker Compose');
const [load = '', start = '', connect = ''] = readCommands('With Kubernetes');

const built = new Set<string>();
const loaded = new Set<string>();
const namespaces = new Set<string>();
const forwarded = new Map<string, string>();
const forwarders: Server[] = [];
let objects: Manifest[] = [];
let started: Promise<void> | undefined;
let directory: string;
let machine: ComposeMachine;
let shell: QuickStartShell;

/** `kind create cluster` and `kind load docker-image`. Only a built image can be loaded. */
function actAsKind(args: readonly string[]): void {
  const { positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { name: { type: 'string' } },
  });
  const [verb, noun, ...images] = positionals;
  if (verb === 'create' && noun === 'cluster') return;
  if (verb !== 'load' || noun !== 'docker-image' || images.length === 0) throw new Error('unknown command');
  for (const image of images) {
    if (!built.has(image)) throw new Error(`no image ${image}`);
    loaded.add(image);
  }
}

async function actAsKubectl(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      namespace: { type: 'string', short: 'n', default: 'default' },
      filename: { type: 'string', short: 'f' },
      kustomize: { type: 'string', short: 'k' },
      for: { type: 'string' },
      all: { type: 'boolean' },
      timeout: { type: 'string' },
    },
  });
  const [verb, noun = '', name = ''] = positionals;
  if (verb === 'create' && noun === 'namespace') namespaces.add(name);
  else if (verb === 'apply' && values.filename !== undefined) applyFile(values.filename, values.namespace);
  else if (verb === 'apply' && values.kustomize !== undefined) applyOverlay(values.kustomize);
  else if (verb === 'wait' || verb === 'rollout') await requireStart();
  else if (verb === 'port-forward') await forward(noun, name);
  else throw new Error(`kubectl ${String(verb)} is not known to the test`);
}

function applyFile(file: string, namespace: string): void {
  if (!namespaces.has(namespace)) throw new Error(`no namespace ${namespace}`);
  const list = z
    .object({ items: z.array(manifest) })
    .parse(JSON.parse(readFileSync(join(root, file), 'utf8')));
  objects.push(...list.items.map((each) => ({ ...each, metadata: { ...each.metadata, namespace } })));
}

/** Starts the workloads of an overlay. A workload can use only the Secrets in its namespace. */
function applyOverlay(overlay: string): void {
  objects = [...objects, ...renderKustomization(join(root, overlay))];
  const ofWorkloads = objects.filter(({ kind }) => kind !== 'Namespace');
  expect(new Set(ofWorkloads.map(({ metadata }) => metadata.namespace))).toEqual(namespaces);
  const services = readClusterServices(objects, join(directory, 'volumes'));
  const missing = [...services.values()].filter(
    ({ image }) => !loaded.has(image) && !image.includes('@sha256:'),
  );
  if (missing.length > 0) throw new Error(`no image ${missing.map(({ image }) => image).join(', ')}`);
  started = machine.up(services).then(async () => {
    for (const { service, port, containerPort } of listServicePorts(objects))
      if (port !== containerPort)
        forwarders.push(await forwardPort(machine.address(service), port, containerPort));
  });
  started.catch(() => undefined);
}

async function requireStart(): Promise<void> {
  if (started === undefined) throw new Error('nothing is deployed');
  await started;
}

/** `kubectl port-forward` of a port of a Service. */
async function forward(target: string, ports: string): Promise<void> {
  await requireStart();
  const service = target.replace('service/', '');
  const [local = '', port = ''] = ports.split(':');
  if (!listServicePorts(objects).some((each) => each.service === service && String(each.port) === port))
    throw new Error(`no port ${port} of ${service}`);
  forwarded.set(`127.0.0.1:${local}`, `${machine.address(service)}:${port}`);
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kubernetes-quick-start-'));
  chmodSync(directory, 0o755);
  machine = new ComposeMachine(directory);
  shell = new QuickStartShell(directory, {
    docker: ([command, ...args]) => {
      if (command !== 'build') throw new Error(`docker ${String(command)} is not known to the test`);
      built.add(checkBuild(args));
    },
    kind: actAsKind,
    kubectl: actAsKubectl,
  });
  await shell.open();
});
afterAll(async () => {
  for (const each of forwarders) each.close();
  await machine.down();
  shell.close();
  rmSync(directory, { recursive: true, force: true });
}, 30_000);

test('the commands of the page deploy the gateway, and its first request is answered', async () => {
  for (const commands of [build, load, start, connect]) await shell.run(commands);
  const [[local = '', remote = ''] = []] = forwarded;
  expect(request).toContain(local);
  expect(JSON.parse(await shell.run(request.replaceAll(local, remote)))).toMatchObject({
    choices: [{ message: { content: 'The sandbox heard: Hello!' }, finish_reason: 'stop' }],
  });
  // A service without a right in NATS or Redis would still start.
  const names = listWorkloads(objects).map(({ name }) => name);
  const denied = names.filter((name) => /NOPERM|ermissions [Vv]iolation/.test(machine.logOf(name)));
  expect(denied).toEqual([]);
}, 300_000);
