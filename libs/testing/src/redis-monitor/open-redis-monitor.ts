import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Tells of all that a Redis is asked, as it reports it: a line a command, quoted as Redis quotes. It is read raw, since a
 * client library may take the first line of it for an answer. Answers what ends it. Throws when Redis refuses.
 *
 * @param onLines whole lines, in the order in which commands ran.
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
  if (refused !== undefined) throw new Error(`Redis refused to be watched: ${refused}`);
  onLines(answers.slice(2));
  socket.on('data', (chunk: string) => onLines(readLines(chunk)));
  // A Redis that a test ends says no more.
  socket.on('error', () => undefined);
  return () => socket.destroy();
}
