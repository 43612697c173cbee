// `npm start [-- --detach] [-- --data-dir DIR]` starts a stack.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareCheckout } from '../setup/prepare.ts';
import { commandStartedAtMs, runStep } from '../setup/progress.mjs';
import { openDataDir } from '../stack/data-dir.ts';
import { readDevInfo } from '../stack/dev-file.ts';
import type { DevInfo } from '../stack/dev-file.ts';
import { followLogs } from '../stack/follow-logs.ts';
import { chooseLogFormat } from '../stack/log-format.ts';
import { launchSupervisor } from '../stack/launch-supervisor.ts';
import { root } from '../stack/root.ts';
import { startStack } from '../stack/stack.ts';
import { stackOptions } from '../stack/stack-options.ts';
import type { StackOptions } from '../stack/stack-options.ts';
import { findRunningStack } from '../stack/state-file.ts';
import { beginSupervision } from '../stack/supervision.ts';
import { renderBanner } from './banner.ts';

const { values: flags } = parseArgs({
  options: {
    detach: { type: 'boolean', default: false },
    'data-dir': { type: 'string', default: join(root, '.data') },
  },
});

function announce(dev: DevInfo | null, devFile: string, startedInMs: number | null): void {
  if (dev) console.log(renderBanner(dev, devFile, startedInMs));
}

/** The duration of this command so far, in milliseconds, including the installation of packages. */
function elapsedMs(): number {
  return Date.now() - commandStartedAtMs;
}

/** Runs the stack until this process receives a signal. */
async function runInForeground(options: StackOptions): Promise<void> {
  const supervision = await beginSupervision(options, console.log);
  const { board, dataDir } = supervision;
  const follower = followLogs(() => board.names(), dataDir.logFile, process.stdout, {
    format: chooseLogFormat(process.env['LOG_FORMAT'], process.stdout.isTTY),
  });
  let ending: Promise<void> | undefined;
  const end = () => {
    if (ending === undefined) console.log('\nStopping …');
    ending ??= supervision.end().then(() => follower.stop());
    return ending;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void end().then(() => process.exit(0)));
  }
  try {
    const dev = await startStack(options, supervision, definedEnv(), console.log);
    announce(dev, dataDir.devFile, elapsedMs());
  } catch (error) {
    if (ending === undefined) process.exitCode = 1;
    await end();
    if (process.exitCode === 1) throw error;
  }
}

function definedEnv(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

await prepareCheckout();
const options = stackOptions.parse({ dataDir: resolve(flags['data-dir']), useDefaultPorts: true });
const dataDir = openDataDir(options.dataDir);
const running = findRunningStack(dataDir);
if (running) {
  console.log(`Already running (${running.status}). \`npm run stop\` ends it.`);
  announce(readDevInfo(dataDir), dataDir.devFile, null);
} else if (flags.detach) {
  await runStep('Starting the services', () => launchSupervisor(options, process.env));
  announce(readDevInfo(dataDir), dataDir.devFile, elapsedMs());
} else {
  await runInForeground(options);
}
