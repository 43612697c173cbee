/** Runs the commands of a quick start as its page shows them. The test stands for the container programs. */
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { readStages, root } from './dockerfile.fixture.ts';

/** Returns the shell blocks of a section of the quick start. */
export function readCommands(heading: string): string[] {
  const page = readFileSync(join(root, 'docs/guides/quick-start.md'), 'utf8');
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands ?? '');
}

/** Checks the arguments of `docker build` against the Dockerfile and the apps. Returns the image's name. */
export function checkBuild(args: readonly string[]): string {
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
  return values.tag;
}

/** Acts as a program of the quick start. An error makes the program fail. */
export type ActAsProgram = (args: readonly string[]) => void | Promise<void>;

/** A shell in the checkout, in which functions of the test act as programs. */
export class QuickStartShell {
  readonly #path: string;
  readonly #server: Server;

  /** @param directory a folder for the programs */
  constructor(directory: string, programs: Readonly<Record<string, ActAsProgram>>) {
    this.#path = join(directory, 'path');
    mkdirSync(this.#path);
    for (const name of Object.keys(programs)) {
      copyFileSync(join(import.meta.dirname, 'program-of-test.mjs'), join(this.#path, name));
      chmodSync(join(this.#path, name), 0o755);
    }
    this.#server = createServer((incoming, answer) => {
      json(incoming)
        .then(async (body) => {
          const [name = '', ...args] = z.array(z.string()).parse(body);
          await programs[name]?.(args);
          answer.end();
        })
        .catch((error: unknown) => answer.writeHead(500).end(String(error)));
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
  }

  close(): void {
    this.#server.close();
  }

  /** Runs commands in the checkout, and returns their output. */
  async run(commands: string): Promise<string> {
    const { port } = this.#server.address() as AddressInfo;
    const path = [this.#path, join(process.execPath, '..'), '/usr/bin', '/bin'].join(':');
    const env = { HOME: process.env['HOME'], PATH: path, PROGRAMS_OF_TEST: `http://127.0.0.1:${port}` };
    return (await promisify(execFile)('sh', ['-ec', commands], { cwd: root, env })).stdout;
  }
}
