// Runs on Node 18 and later before any packages are installed, so it uses only built-in modules.

/** The time between two progress lines outside of a terminal, in milliseconds. */
const everyMs = 30_000;
/** The time between two updates of the progress line in a terminal, in milliseconds. */
const everyMsInTerminal = 1_000;

/** The environment variable that passes the start time of the command to its next Node process. */
const startVariable = 'COMMAND_STARTED_AT_MS';

/** The time at which the user started this command, as Unix time in milliseconds. */
export const commandStartedAtMs = Number(process.env[startVariable] ?? performance.timeOrigin);
delete process.env[startVariable];

/** Returns the environment for a Node process that continues this command. */
export function continuedEnv() {
  return { ...process.env, [startVariable]: String(commandStartedAtMs) };
}

/** Formats a duration in milliseconds as seconds with one decimal: `12.3 s`. */
export function renderDuration(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

/**
 * Runs one step of a command, and prints its title at once and its duration at the end. A long step prints
 * its duration so far: every second in a terminal, otherwise every 30 seconds. Returns the result of `work`.
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
