import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Reports every command that a Redis server receives, one line per command, in Redis's C-style quoting. The
 * monitor reads from the raw socket, because a client library could mistake the first line for a reply.
 * Returns a function that stops the monitor. Throws if Redis rejects the `MONITOR` command.
 * @param onLines receives complete lines, in command order
 */
export async function openRedisMonitor(
  url: string,
  onLines: (lines: readonly string[]) => void,
): Promise<() => void> {
  const { hostname, port, username, password } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  socket.write(`AUTH ${username || 'default'} ${password}\r\nMONITOR\r\n`);
  let rest = '';
  const readLines = (chunk: string): string[] => {
    const lines = (rest + chunk).split('\r\n');
    rest = lines.pop() ?? '';
    return lines;
  };
  const answers: string[] = [];
  while (answers.length < 2) answers.push(...readLines(((await once(socket, 'data')) as [string])[0]));
  const refused = answers.find((answer) => answer.startsWith('-'));
  if (refused !== undefined) throw new Error(`Redis refused the MONITOR command: ${refused}`);
  onLines(answers.slice(2));
  socket.on('data', (chunk: string) => onLines(readLines(chunk)));
  // After the test has stopped Redis, the monitor receives no more data.
  socket.on('error', () => undefined);
  return () => socket.destroy();
}
