// This file runs on Node 18 and later before any packages are installed, so the file imports only built-in modules.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * The maximum age of the lock file in milliseconds. Every setup takes less than 20 minutes. After a crash,
 * another process may have the process id of the lock holder.
 */
const LOCK_AGE_MS_MAX = 20 * 60_000;

/**
 * Creates the lock file. Returns false if a running process holds the lock. Removes the lock of a process
 * that has ended.
 */
function tryLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    const ageMs = Date.now() - statSync(file).mtimeMs;
    if ((holder > 0 && !isAlive(holder)) || ageMs > LOCK_AGE_MS_MAX) rmSync(file, { force: true });
  } catch {
    // The lock holder has just released the lock, so the lock file is gone.
  }
  return false;
}

/**
 * Runs `work` while no other command sets up this checkout. Two concurrent setups would write to the same
 * node_modules and dist folders.
 */
export async function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true });
  for (let isLogged = false; !tryLock(file);) {
    if (!isLogged) console.log('Waiting for another command that sets up this checkout …');
    isLogged = true;
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}
