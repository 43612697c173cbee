/**
 * Runs the README's first examples unchanged, in a folder that looks like a checkout with a running stack.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sharedStack } from '@gateway/testing';

const repository = join(import.meta.dirname, '../..');

interface Block {
  readonly language: string;
  readonly text: string;
}

const blocks = [
  ...readFileSync(join(repository, 'README.md'), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms),
].map(([, language, text]): Block => ({ language: language ?? '', text: text ?? '' }));
const examples = blocks
  .filter(({ language }) => language === 'js')
  .map(({ text }) => ({ sdk: /from '([^']+)'/.exec(text)?.[1] ?? '', text }));
const firstRequest = blocks.find(({ text }) => text.includes('curl $BASE/v1/chat/completions'));
const settings = blocks.find(({ text }) => text.startsWith('export '));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'readme-examples-'));
  // The README's commands read `.data/dev.json`, and the examples import the installed SDKs.
  symlinkSync(sharedStack().dataDir, join(folder, '.data'));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a page's commands in a shell, and returns their output. The shell's environment contains no provider key. */
async function runShell(commands: string): Promise<string> {
  const { PATH, HOME } = process.env;
  const options = { cwd: folder, env: { PATH, HOME } };
  const { stdout } = await promisify(execFile)('sh', ['-ec', commands], options);
  return stdout;
}

it('the first request of the README is answered', async () => {
  const answer: unknown = JSON.parse(await runShell(firstRequest?.text ?? ''));
  expect(answer).toMatchObject({
    choices: [{ message: { content: 'The sandbox heard: Hello!' }, finish_reason: 'stop' }],
  });
});

it('the README has one example for each SDK', () => {
  expect(examples.map(({ sdk }) => sdk)).toEqual([
    'openai',
    '@anthropic-ai/sdk',
    '@aws-sdk/client-bedrock-runtime',
    '@ai-sdk/openai',
    '@openai/agents',
  ]);
});

it.each(examples)('the example for $sdk prints what its comments claim', async ({ text }) => {
  const claimed = [...text.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, output]) => output);
  expect(claimed).not.toHaveLength(0);
  writeFileSync(join(folder, 'example.mjs'), text);
  const [values = ''] = firstRequest?.text.split('\ncurl') ?? [];
  const output = await runShell(`${values}\n${settings?.text ?? ''}\n"${process.execPath}" example.mjs`);
  expect(output.trimEnd().split('\n')).toEqual(claimed);
});
