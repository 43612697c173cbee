// This file runs on Node 18 and later before any packages are installed, so the file imports only built-in modules.

/** The milliseconds between two progress lines outside a terminal. */
const everyMs = 30_000;
/** The milliseconds between two updates of the progress line in a terminal. */
const everyMsInTerminal = 1_000;

/** The environment variable that passes the command's start time to the next Node process. */
const startVariable = 'COMMAND_STARTED_AT_MS';

/** The time at which the user ran this command, as Unix time in milliseconds. */
export const commandStartedAtMs = Number(process.env[startVariable] ?? performance.timeOrigin);
delete process.env[startVariable];

/** Returns the environment for the Node child process that continues this command. */
export function continuedEnv() {
  return { ...process.env, [startVariable]: String(commandStartedAtMs) };
}

/** Formats a duration in milliseconds as seconds with one decimal, such as `12.3 s`. */
export function renderDuration(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

/**
 * Runs one step of a command, and prints the title immediately and the duration at the end. A long step prints its
 * duration so far, every second in a terminal and otherwise every 30 seconds. Returns the result of `work`.
 */
export async function runStep(title, work) {
  const out = process.stdout;
  const startedAt = performance.now();
  const elapsed = () => renderDuration(performance.now() - startedAt);
  const inTerminal = out.isTTY === true;
  out.write(`${title} …${inTerminal ? '' : '\n'}`);
  const timer = setInterval(
    () => out.write(inTerminal ? `\r${title} … ${elapsed()}` : `${title} … ${elapsed()}\n`),
    inTerminal ? everyMsInTerminal : everyMs,
  );
  try {
    const result = await work();
    out.write(`${inTerminal ? '\r' : ''}${title}: done in ${elapsed()}\n`);
    return result;
  } catch (error) {
    out.write(`${inTerminal ? '\r' : ''}${title}: failed after ${elapsed()}\n`);
    throw error;
  } finally {
    clearInterval(timer);
  }
}
