// `npm run logs [-- --lines N] [-- --no-follow] [SERVICE…]` prints the log lines of a stack.
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openDataDir } from '../stack/data-dir.ts';
import { followLogs } from '../stack/follow-logs.ts';
import { chooseLogFormat } from '../stack/log-format.ts';
import { readLogTail } from '../stack/log-tail.ts';
import { root } from '../stack/root.ts';

const { values: flags, positionals: wanted } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    lines: { type: 'string', default: '20' },
    follow: { type: 'boolean', default: true },
    'data-dir': { type: 'string', default: join(root, '.data') },
  },
});

/** Returns the names of the processes with a log file. Throws if a requested process has no log file. */
function chooseNames(directory: string): string[] {
  const files = existsSync(directory) ? readdirSync(directory) : [];
  const known = files.filter((file) => file.endsWith('.log')).map((file) => file.slice(0, -'.log'.length));
  if (known.length === 0)
    throw new Error(`There are no logs in ${directory}. Start a stack with \`npm start\`.`);
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no log of ${unknown.join(', ')}. Known: ${known.sort().join(', ')}.`);
  return wanted.length > 0 ? wanted : known.sort();
}

function parseLines(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new Error(`--lines is ${JSON.stringify(text)}. Use a number from 0 on.`);
  return Number(text);
}

const path = resolve(flags['data-dir']);
const names = chooseNames(join(path, 'logs'));
const lines = parseLines(flags.lines);
const { logFile } = openDataDir(path);
const follower = followLogs(() => names, logFile, process.stdout, {
  format: chooseLogFormat(process.env['LOG_FORMAT'], process.stdout.isTTY),
  earlier: (name) => (lines === 0 ? [] : readLogTail(logFile(name), lines).split('\n').filter(Boolean)),
});
if (!flags.follow) follower.stop();
