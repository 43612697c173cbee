/**
 * Turns Kubernetes objects into services that run as processes, for machines without a cluster. Commands, variables,
 * Secrets, ConfigMaps, mounts and ports are those of the objects. Network policies and limits have no effect.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import type { Manifest } from '../k8s/kustomize.fixture.ts';
import { listWorkloads, type Workload } from '../k8s/workloads.fixture.ts';
import type { ComposeService } from './compose-file.fixture.ts';

const program = z.looseObject({
  command: z.array(z.string()).default([]),
  args: z.array(z.string()).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
});
const texts = z.record(z.string(), z.string());
const items = z.array(z.object({ key: z.string(), path: z.string() })).optional();
const serviceSpec = z.looseObject({
  selector: texts,
  ports: z.array(z.object({ name: z.string(), port: z.number(), targetPort: z.string() })),
});

/** The components that a component needs. Kubernetes restarts a container until these components answer. */
const needs: Readonly<Record<string, readonly string[]>> = {
  data: [],
  migration: ['data'],
  service: ['data', 'migration'],
};

/** Returns the entries of a Secret or a ConfigMap. Throws if the object does not exist. */
function entriesOf(objects: readonly Manifest[], kind: string, name: string): Record<string, string> {
  const found = objects.find((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}.`);
  return texts.parse(found['stringData'] ?? found['data']);
}

function readEntry(entries: Readonly<Record<string, string>>, key: string): string {
  const value = entries[key];
  if (value === undefined) throw new Error(`There is no entry ${key}.`);
  return value;
}

function readEnvironment({ container }: Workload, objects: readonly Manifest[]): Record<string, string> {
  const read = ({ value, valueFrom }: Workload['container']['env'][number]): string => {
    if (valueFrom === undefined) return value ?? '';
    const { name, key } = valueFrom.secretKeyRef;
    return readEntry(entriesOf(objects, 'Secret', name), key);
  };
  return Object.fromEntries(container.env.map((each) => [each.name, read(each)]));
}

/** Writes the files of mounted Secrets and ConfigMaps. Returns all mounts in the notation of a compose file. */
function mountVolumes({ name, pod, container, claims }: Workload, objects: readonly Manifest[], at: string) {
  return container.volumeMounts.flatMap((mount) => {
    if (claims.includes(mount.name)) return [`${name}-${mount.name}:${mount.mountPath}`];
    const volume = pod.volumes.find((each) => each.name === mount.name);
    if (volume === undefined) throw new Error(`${name} has no volume ${mount.name}.`);
    const source = volume.secret ?? volume.configMap;
    if (source === undefined) return [];
    const entries =
      volume.secret === undefined
        ? entriesOf(objects, 'ConfigMap', volume.configMap?.name ?? '')
        : entriesOf(objects, 'Secret', volume.secret.secretName);
    const directory = join(at, `${name}-${mount.name}`);
    mkdirSync(directory, { recursive: true });
    const files = items.parse(source['items']) ?? Object.keys(entries).map((key) => ({ key, path: key }));
    return files.map(({ key, path }) => {
      writeFileSync(join(directory, path), readEntry(entries, key));
      return `${join(directory, path)}:${join(mount.mountPath, path)}`;
    });
  });
}

/**
 * Returns one service per workload.
 * @param directory a folder for the files of Secrets and ConfigMaps
 */
export function readClusterServices(
  objects: readonly Manifest[],
  directory: string,
): ReadonlyMap<string, ComposeService> {
  const workloads = listWorkloads(objects);
  return new Map(
    workloads.map((workload) => {
      const { command, args } = program.parse(workload.container);
      const needed = workloads.filter(({ component }) => needs[workload.component]?.includes(component));
      const service: ComposeService = {
        image: workload.container.image,
        profiles: [],
        command: [...command, ...args],
        environment: readEnvironment(workload, objects),
        volumes: mountVolumes(workload, objects, directory),
        ports: [],
        depends_on: Object.fromEntries(needed.map(({ name }) => [name, { condition: 'service_started' }])),
      };
      return [workload.name, service];
    }),
  );
}

/** The port of a Kubernetes Service, and the port of the containers behind the Service. */
export interface ServicePort {
  readonly service: string;
  readonly port: number;
  readonly containerPort: number;
}

export function listServicePorts(objects: readonly Manifest[]): ServicePort[] {
  const workloads = listWorkloads(objects);
  return objects
    .filter(({ kind }) => kind === 'Service')
    .flatMap(({ metadata, ...object }) => {
      const { selector, ports } = serviceSpec.parse(object['spec']);
      const behind = workloads.find(({ labels }) =>
        Object.entries(selector).every(([label, value]) => labels[label] === value),
      );
      const known = behind === undefined ? [] : program.parse(behind.container).ports;
      return ports.map(({ port, targetPort }) => {
        const target = known.find((each) => each.name === targetPort);
        if (target === undefined) throw new Error(`No container has the port ${targetPort}.`);
        return { service: metadata.name, port, containerPort: target.containerPort };
      });
    });
}

/** Forwards connections from one port of an address to another port, as a Kubernetes Service does. */
export async function forwardPort(host: string, from: number, to: number): Promise<Server> {
  const server = createServer((client) => {
    const upstream = connect(to, host);
    const end = () => [client, upstream].forEach((socket) => socket.destroy());
    client.on('error', end).on('close', end).pipe(upstream);
    upstream.on('error', end).on('close', end).pipe(client);
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(from, host, listening);
  });
  return server;
}
