import { existsSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { hasColours, renderPrettyLine } from './log-format.ts';
import type { LogFormat } from './log-format.ts';
import { readBytes } from './log-tail.ts';

const POLL_MS = 100;
const CHUNK_BYTES_MAX = 256 * 1024;
/** Terminal colors by number (ECMA-48 SGR). Red is reserved for errors. */
const nameColours = [36, 33, 32, 35, 34, 96, 93, 92, 95, 94];

interface Follower {
  poll(): void;
}

function followFile(file: string, onLine: (line: string) => void): Follower {
  let offset = existsSync(file) ? statSync(file).size : 0;
  let decoder = new StringDecoder('utf8');
  let rest = '';
  return {
    poll() {
      if (!existsSync(file)) return;
      if (statSync(file).size < offset) {
        // After a log rotation, the log file contains only new lines.
        offset = 0;
        decoder = new StringDecoder('utf8');
      }
      const bytes = readBytes(file, offset, CHUNK_BYTES_MAX);
      offset += bytes.length;
      const lines = (rest + decoder.write(bytes)).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(onLine);
    },
  };
}

interface FollowOptions {
  readonly format: LogFormat;
  /** Returns the existing log lines to print before the new lines. By default, the command prints only new lines. */
  readonly earlier?: (name: string) => readonly string[];
}

export interface LogFollower {
  /** Prints only the lines that the log files already contain. */
  stop(): void;
}

/**
 * Prints new log lines, each with the process name in front. The lines are read from files, so a slow
 * terminal never blocks a service.
 */
export function followLogs(
  names: () => readonly string[],
  fileOf: (name: string) => string,
  out: NodeJS.WriteStream,
  { format, earlier }: FollowOptions,
): LogFollower {
  const colours = hasColours(out);
  const render = (line: string) => (format === 'pretty' ? renderPrettyLine(line, colours) : line);
  const followers = new Map<string, Follower>();
  const poll = () => {
    for (const name of names()) {
      let follower = followers.get(name);
      if (!follower) {
        const colour = nameColours[followers.size % nameColours.length];
        const prefix = colours ? `\u001b[${colour}m${name.padEnd(16)}\u001b[0m │ ` : `${name.padEnd(16)} | `;
        const print = (line: string) => out.write(`${prefix}${render(line)}\n`);
        follower = followFile(fileOf(name), print);
        followers.set(name, follower);
        earlier?.(name).forEach(print);
      }
      follower.poll();
    }
  };
  const timer = setInterval(poll, POLL_MS);
  return {
    stop() {
      clearInterval(timer);
      poll();
    },
  };
}
