/** Runs code of README.md and docs/ unchanged, in a folder that looks like a checkout with a running stack. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { sharedStack } from '@gateway/testing';

export const repository = join(import.meta.dirname, '../..');

export interface Block {
  readonly language: string;
  readonly text: string;
}

/** Returns the code blocks of a page, without the indentation of a list. */
export function readBlocks(page: string): Block[] {
  const text = readFileSync(join(repository, page), 'utf8');
  return [...text.matchAll(/^( *)```(\w+)\n(.*?)^\1```$/gms)].map(
    ([, indent = '', language = '', code = '']) => ({
      language,
      text: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

export class PageFolder {
  readonly #path = mkdtempSync(join(tmpdir(), 'page-examples-'));

  /** @param packages the folder with the packages that the examples import */
  constructor(packages: string = join(repository, 'node_modules')) {
    // The commands of the pages read `.data/dev.json`.
    symlinkSync(sharedStack().dataDir, join(this.#path, '.data'));
    symlinkSync(packages, join(this.#path, 'node_modules'));
  }

  write(file: string, text: string): void {
    mkdirSync(join(this.#path, dirname(file)), { recursive: true });
    writeFileSync(join(this.#path, file), text);
  }

  /** Runs commands in a shell, and returns their output. The shell's environment contains no provider key. */
  async run(commands: string): Promise<string> {
    const { PATH, HOME } = process.env;
    const options = { cwd: this.#path, env: { PATH, HOME } };
    const { stdout } = await promisify(execFile)('sh', ['-ec', commands], options);
    return stdout;
  }

  /** Runs a program with Node, after commands that set its environment. */
  runProgram(text: string, commands: string): Promise<string> {
    this.write('example.mjs', text);
    return this.run(`${commands}\n"${process.execPath}" example.mjs`);
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}
