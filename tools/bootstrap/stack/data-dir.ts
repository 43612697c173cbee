import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Paths of all files that a stack writes. */
export interface DataDir {
  readonly path: string;
  readonly secretsFile: string;
  readonly portsFile: string;
  /** The path of the file with the information needed to use the running stack. */
  readonly devFile: string;
  /**
   * The path of the file that lists the running processes. The file is read by `npm run stop` and by the next
   * start after a crash.
   */
  readonly stateFile: string;
  readonly lockFile: string;
  readonly logFile: (name: string) => string;
  /** Returns the data directory of one of the stack's processes. */
  readonly home: (name: string) => string;
}

/**
 * Creates the data directory if it is missing. All users may enter the directory, because Postgres may run as
 * another user. Files with secrets have mode 600.
 */
export function openDataDir(path: string): DataDir {
  for (const directory of [path, join(path, 'logs'), join(path, 'run')]) {
    mkdirSync(directory, { recursive: true });
  }
  chmodSync(path, 0o755);
  return {
    path,
    secretsFile: join(path, 'secrets.json'),
    portsFile: join(path, 'ports.json'),
    devFile: join(path, 'dev.json'),
    stateFile: join(path, 'run/state.json'),
    lockFile: join(path, 'run/supervisor.lock'),
    logFile: (name) => join(path, 'logs', `${name}.log`),
    home: (name) => {
      const home = join(path, name);
      mkdirSync(home, { recursive: true });
      return home;
    },
  };
}

/** Replaces a file atomically. Only the owner can read the new file. */
export function writePrivateFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

export function writePrivateJson(file: string, value: unknown): void {
  writePrivateFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Returns the parsed JSON file, or null if the file is missing. Throws on invalid JSON, because only another
 * program can have written the file.
 */
export function readJson(file: string): unknown {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}
