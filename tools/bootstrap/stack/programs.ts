import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian installs nats-server outside the user's PATH, and Homebrew uses a different directory. */
const alsoIn = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin', '/usr/bin'];

/** Returns the path to an installed program, or null. */
export function findProgram(name: string): string | null {
  for (const directory of [...(process.env['PATH'] ?? '').split(delimiter), ...alsoIn]) {
    if (directory === '') continue;
    try {
      accessSync(join(directory, name), constants.X_OK);
      return join(directory, name);
    } catch {
      // The program is not in this directory, so the loop continues with the next directory.
    }
  }
  return null;
}

/** Returns the path to a program. Throws if the program is not installed. */
export function requireProgram(name: string): string {
  const found = findProgram(name);
  if (found === null) throw new Error(`${name} is not installed.`);
  return found;
}
