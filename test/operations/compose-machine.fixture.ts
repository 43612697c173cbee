/**
 * Runs the services of the compose file as processes, for machines without a container engine. Each service has its
 * own loopback address in place of a container's address, so the ports, variables, commands and mounts of the compose
 * file are used as they are. Names of services resolve to these addresses.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { choosePostgresUser, findPostgresBinaries } from '../../tools/bootstrap/stack/postgres-binaries.ts';
import { requireProgram } from '../../tools/bootstrap/stack/programs.ts';
import { eventually } from '../integration/stack.fixture.ts';
import type { ComposeService } from './compose-file.fixture.ts';
import {
  findInstruction,
  listVariables,
  parseWords,
  readStages,
  root,
  stageOf,
} from './dockerfile.fixture.ts';

/** The ports of the data stores in their containers. */
const dataPorts: Readonly<Record<string, number>> = { postgres: 5432, redis: 6379, nats: 4222 };
const startsWithinMs = 60_000;

export class ComposeMachine {
  readonly #directory: string;
  readonly #network = `127.${20 + (process.pid % 200)}.${Math.floor(process.pid / 200) % 250}`;
  readonly #addresses = new Map<string, string>();
  readonly #running: ChildProcess[] = [];
  readonly #logs = new Map<string, string>();

  /** @param directory an empty directory, which any user can enter */
  constructor(directory: string) {
    this.#directory = directory;
    for (const each of ['bin', 'volumes', 'containers']) mkdirSync(join(directory, each));
  }

  /** Starts the services that use a built image or a data store. Each service starts after its dependencies. */
  async up(services: ReadonlyMap<string, ComposeService>): Promise<void> {
    for (const [at, name] of [...services.keys()].entries())
      this.#addresses.set(name, `${this.#network}.${at + 1}`);
    this.#writeNames();
    const states = new Map<string, Promise<void>>();
    const start = (name: string): Promise<void> => {
      const known = states.get(name);
      if (known !== undefined) return known;
      const service = services.get(name);
      if (service === undefined) throw new Error(`The compose file has no service ${name}.`);
      const started = Promise.all(Object.keys(service.depends_on).map(start)).then(() =>
        this.#start(name, service),
      );
      states.set(name, started);
      return started;
    };
    await Promise.all(
      [...services].filter(([, each]) => this.#isRunnable(each)).map(([name]) => start(name)),
    );
  }

  /** The address of the container port that the compose file publishes at an address of the machine. */
  addressOf(published: string, services: ReadonlyMap<string, ComposeService>): string {
    for (const [name, { ports }] of services)
      for (const port of ports)
        if (port.startsWith(`${published}:`)) return `${this.address(name)}:${port.split(':').at(-1) ?? ''}`;
    throw new Error(`The compose file does not publish ${published}.`);
  }

  /** The loopback address of a started service. */
  address(name: string): string {
    const address = this.#addresses.get(name);
    if (address === undefined) throw new Error(`The service ${name} is not started.`);
    return address;
  }

  logOf(name: string): string {
    return this.#logs.get(name) ?? '';
  }

  async down(): Promise<void> {
    const exits = this.#running
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      .map((child) => new Promise((settle) => child.once('exit', settle)));
    for (const child of this.#running.toReversed()) child.kill('SIGINT');
    setTimeout(() => this.#running.forEach((child) => child.kill('SIGKILL')), 10_000).unref();
    await Promise.all(exits);
  }

  /** Monitoring and the owner of the volume need their images. All other services are programs of this machine. */
  #isRunnable({ image }: ComposeService): boolean {
    return image.startsWith('agent-gateway/') || dataPorts[kindOf(image)] !== undefined;
  }

  async #start(name: string, service: ComposeService): Promise<void> {
    const kind = kindOf(service.image);
    if (kind === 'postgres') return this.#startPostgres(name, service);
    if (kind === 'agent-gateway/migrate') return this.#migrate(name, service);
    if (kind.startsWith('agent-gateway/')) return this.#startApp(name, service, kind.split('/')[1] ?? '');
    if (name === 'spool-owner') return;
    if (kind === 'redis') this.#startRedis(name, service);
    if (kind === 'nats') this.#startNats(name, service);
    await this.#reach(name, dataPorts[kind] ?? 0);
  }

  #startRedis(name: string, service: ComposeService): void {
    const home = this.#home(name);
    const flags = `--bind ${this.address(name)} --dir ${home}`;
    const server = `#!/bin/sh\nexec ${requireProgram('redis-server')} "$@" ${flags}\n`;
    writeFileSync(join(home, 'redis-server'), server, { mode: 0o755 });
    const [command = '', ...args] = service.command.map((word) => this.#toMachine(word, service));
    this.#spawn(name, command, args, { PATH: `${home}:/usr/bin:/bin`, ...service.environment });
  }

  #startNats(name: string, service: ComposeService): void {
    const args = service.command.map((word) => this.#toMachine(word, service));
    const file = args[args.indexOf('-c') + 1] ?? '';
    const config = this.#toMachine(readFileSync(file, 'utf8'), service)
      .replaceAll('0.0.0.0', this.address(name))
      .replaceAll(/127\.0\.0\.1(?=:)/g, this.address(name));
    const copy = join(this.#home(name), 'nats-server.conf');
    writeFileSync(copy, config);
    this.#spawn(name, requireProgram('nats-server'), args.with(args.indexOf('-c') + 1, copy), {});
  }

  /** Creates a cluster and runs the mounted scripts, like the entry point of the image. */
  async #startPostgres(name: string, service: ComposeService): Promise<void> {
    const user = choosePostgresUser();
    const bin = findPostgresBinaries(user);
    const home = this.#home(name);
    const password = join(home, 'password');
    writeFileSync(password, service.environment['POSTGRES_PASSWORD'] ?? '');
    if (user !== undefined) for (const path of [home, password]) chownSync(path, user.uid, user.gid);
    const flags = [
      '--auth=scram-sha-256',
      '--username=postgres',
      '--encoding=UTF8',
      '--no-sync',
      '--locale=C',
    ];
    const data = join(home, 'data');
    await this.#run(
      `${name}-init`,
      join(bin, 'initdb'),
      ['-D', data, `--pwfile=${password}`, ...flags],
      {},
      user,
    );
    const settings = ['-h', this.address(name), '-k', '', '-p', String(dataPorts['postgres']), '-F'];
    this.#spawn(name, join(bin, 'postgres'), ['-D', data, ...settings], {}, user);
    await this.#reach(name, dataPorts['postgres'] ?? 0);
    const psql = `#!/bin/sh\nexec ${process.execPath} ${join(import.meta.dirname, 'psql.mjs')} "$@"\n`;
    writeFileSync(join(home, 'psql'), psql, { mode: 0o755 });
    for (const volume of service.volumes.filter((each) => each.includes('/docker-entrypoint-initdb.d/')))
      await this.#run(`${name}-script`, 'sh', [volume.split(':')[0] ?? ''], {
        ...service.environment,
        PATH: `${home}:/usr/bin:/bin`,
        PGHOST: this.address(name),
      });
  }

  async #migrate(name: string, service: ComposeService): Promise<void> {
    const entry = parseWords(findInstruction(stageOf(readStages(), 'migrate'), 'ENTRYPOINT'));
    const [command = '', ...args] = [...entry, ...service.command];
    await this.#run(name, command, args, this.#environmentOf(name, service, {}));
  }

  async #startApp(name: string, service: ComposeService, app: string): Promise<void> {
    const stage = stageOf(readStages(), 'app');
    const [command = '', ...args] = parseWords(findInstruction(stage, 'CMD'));
    const environment = this.#environmentOf(name, service, listVariables(stage, app));
    this.#spawn(name, command, args, environment);
    const health = `http://${this.address(name)}:${environment['HEALTH_PORT'] ?? ''}/health/ready`;
    await eventually(async () => {
      this.#requireRunning(name);
      const answer = await fetch(health).catch(() => undefined);
      return answer?.ok === true ? true : undefined;
    }, startsWithinMs);
  }

  /** The variables of the image and of the compose file. Only paths and the address to listen on are replaced. */
  #environmentOf(
    name: string,
    service: ComposeService,
    ofImage: Readonly<Record<string, string>>,
  ): Record<string, string> {
    const all = Object.entries({ ...ofImage, ...service.environment }).map(
      ([key, value]) => [key, this.#toMachine(value.replaceAll("'", ''), service)] as const,
    );
    const merged: Record<string, string> = Object.fromEntries(all);
    const options = `${merged['NODE_OPTIONS'] ?? ''} --import=${join(this.#directory, 'names.mjs')}`;
    return {
      ...merged,
      PATH: `${join(process.execPath, '..')}:/usr/bin:/bin`,
      NODE_OPTIONS: options.trim(),
      ...(merged['HOST'] === undefined ? {} : { HOST: this.address(name) }),
    };
  }

  /** Replaces the paths of mounts by the mounted files of this machine. */
  #toMachine(text: string, { volumes }: ComposeService): string {
    const mounts = volumes
      .map((volume) => volume.split(':'))
      .toSorted(([, one = ''], [, other = '']) => other.length - one.length);
    return mounts.reduce((result, [source = '', target = '']) => {
      const path = source.startsWith('/') ? source : join(this.#directory, 'volumes', source);
      if (!source.startsWith('/')) mkdirSync(path, { recursive: true });
      return result.replaceAll(target, path);
    }, text);
  }

  /** Node resolves the names of the services to their addresses, and all other names as before. */
  #writeNames(): void {
    const source = readFileSync(join(import.meta.dirname, 'compose-names.mjs'), 'utf8');
    const hosts = JSON.stringify(Object.fromEntries(this.#addresses));
    writeFileSync(
      join(this.#directory, 'names.mjs'),
      source.replace('{}', () => hosts),
    );
  }

  #home(name: string): string {
    const home = join(this.#directory, 'containers', name);
    mkdirSync(home);
    chmodSync(home, 0o755);
    return home;
  }

  #spawn(
    name: string,
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    user?: { uid: number; gid: number },
  ): ChildProcess {
    const options = {
      cwd: user === undefined ? root : '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...env },
    };
    const child = spawn(command, args, { ...options, ...user, stdio: ['ignore', 'pipe', 'pipe'] });
    const note = (chunk: Buffer) => this.#logs.set(name, this.logOf(name) + chunk.toString());
    child.stdout.on('data', note);
    child.stderr.on('data', note);
    child.on('error', (error) => note(Buffer.from(error.message)));
    child.on('exit', (code) => note(Buffer.from(`\nexit ${String(code)}\n`)));
    this.#running.push(child);
    return child;
  }

  async #run(
    name: string,
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    user?: { uid: number; gid: number },
  ): Promise<void> {
    const child = this.#spawn(name, command, args, env, user);
    const code = await new Promise((settle) => child.once('close', settle));
    if (code !== 0) throw new Error(`${name} ended with ${String(code)}: ${this.logOf(name)}`);
  }

  #requireRunning(name: string): void {
    if (/\nexit /.test(this.logOf(name))) throw new Error(`${name} ended: ${this.logOf(name).slice(-2_000)}`);
  }

  async #reach(name: string, port: number): Promise<void> {
    await eventually(() => {
      this.#requireRunning(name);
      return new Promise<true | undefined>((settle) => {
        const socket = connect({ host: this.address(name), port, timeout: 1_000 });
        socket.on('connect', () => settle(true)).on('error', () => settle(undefined));
        socket.on('connect', () => socket.destroy());
      });
    }, startsWithinMs);
  }
}

/** The name of an image without its tag and digest. */
const kindOf = (image: string): string => image.split(/[:@]/)[0] ?? '';
