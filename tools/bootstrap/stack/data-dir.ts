import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where everything that a stack writes lies. */
export interface DataDir {
  readonly path: string;
  readonly secretsFile: string;
  readonly portsFile: string;
  /** What a person or a program needs to talk to the running stack. */
  readonly devFile: string;
  /** Who is running, for `npm run stop` and for the next start after a crash. */
  readonly stateFile: string;
  readonly lockFile: string;
  readonly logFile: (name: string) => string;
  /** A directory for one process's own data. */
  readonly home: (name: string) => string;
}

/** Makes the directory if it is not there. It can be entered by all, since Postgres may run as another user; its secrets are files of mode 600. */
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

/** Replaces a file in one step, readable by its owner alone, so that no reader sees half of it. */
export function writePrivateFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

export function writePrivateJson(file: string, value: unknown): void {
  writePrivateFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** The parsed file, or null when there is none. Throws when it is not JSON: then it is not one of ours. */
export function readJson(file: string): unknown {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}
