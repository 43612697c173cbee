import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as waitMs } from 'node:timers/promises';
import { createLineLog } from './line-log.ts';
import { createLogger, createLogOutput } from './logger.ts';

const options = { service: 'edge', instanceId: 'one', level: 'info' };

async function withOutput(
  use: (output: ReturnType<typeof createLogOutput>, read: () => string) => Promise<void> | void,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'log-output-'));
  const file = join(directory, 'log');
  // Ending the stream closes the file.
  const output = createLogOutput(openSync(file, 'a'));
  try {
    await use(output, () => readFileSync(file, 'utf8'));
  } finally {
    await new Promise((resolve) => {
      output.once('close', resolve);
      output.end();
    });
    rmSync(directory, { recursive: true });
  }
}

it('keeps lines in order across writers and line lengths', () =>
  withOutput(async (output, read) => {
    const logger = createLogger({ ...options, destination: output });
    const lineLog = createLineLog('request', { ...options, destination: output });
    const count = 3_000;
    for (let n = 0; n < count; n += 1) {
      const fields = { n, text: 'ü€'.repeat(n % 100 === 0 ? 50_000 : n % 70) };
      if (n % 2 === 0) logger.info(fields, 'other');
      else lineLog.write(fields);
      if (n % 500 === 0) await waitMs(1);
    }
    await new Promise((resolve) => {
      logger.flush(resolve);
    });
    const lines = read().trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual(
      Array.from({ length: count }, (_, n) => n),
    );
  }));

it(
  'writes a line even if no other line follows',
  () =>
    withOutput(async (output, read) => {
      output.write('alone\n');
      for (let tries = 0; tries < 500 && read() === ''; tries += 1) await waitMs(10);
      expect(read()).toBe('alone\n');
    }),
  10_000,
);

it('reports a flush only once all lines are written', () =>
  withOutput(async (output, read) => {
    output.write(`${'x'.repeat(200_000)}\n`);
    output.write('last\n');
    await new Promise((resolve) => {
      output.flush(resolve);
    });
    expect(read().slice(-6)).toBe('\nlast\n');
  }));

it('loses no lines when a process exits or fails', () => {
  const run = (ending: string) =>
    spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { createLogger } from '${new URL('logger.ts', import.meta.url).href}';
         const logger = createLogger({ service: 'edge', level: 'info' });
         for (let n = 0; n < 2000; n += 1) logger.info({ n }, 'line');
         ${ending}`,
      ],
      { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    );
  for (const ending of [
    'process.exit(3)',
    'throw new Error("ended")',
    'logger.fatal("ended"); process.exit(3)',
  ]) {
    const lines = run(ending).stdout.trimEnd().split('\n').slice(0, 2_000);
    expect(lines.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual(
      Array.from({ length: 2_000 }, (_, n) => n),
    );
  }
}, 30_000);
