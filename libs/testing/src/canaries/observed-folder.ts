import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Secret } from './needle-index.ts';

/**
 * The files that an observed stack writes to its data folder. There is one file for each type of traffic, and
 * another file that lists the secrets used.
 */
export const observedKinds = ['traces', 'messages', 'redis-commands', 'error-answers'] as const;
export type ObservedKind = (typeof observedKinds)[number];

const folderOf = (dataDir: string) => join(dataDir, 'observed');
export const observedFile = (dataDir: string, kind: ObservedKind) => join(folderOf(dataDir), kind);
const secretsFile = (dataDir: string) => join(folderOf(dataDir), 'secrets.jsonl');

export function createObservedFolder(dataDir: string): void {
  mkdirSync(folderOf(dataDir), { recursive: true });
}

/** Whether the stack's traffic is recorded. */
export function isObserved(dataDir: string): boolean {
  return existsSync(folderOf(dataDir));
}

export function appendObserved(dataDir: string, kind: ObservedKind, bytes: Buffer): void {
  appendFileSync(observedFile(dataDir, kind), bytes);
}

/** Records a secret that a test uses, so that the traffic can be searched for the secret at the end. */
export function noteSecret(dataDir: string, secret: Secret): void {
  appendFileSync(secretsFile(dataDir), `${JSON.stringify(secret)}\n`);
}

/** The recorded secrets, without duplicates. */
export function readSecretsUsed(dataDir: string): Secret[] {
  if (!existsSync(secretsFile(dataDir))) return [];
  const lines = readFileSync(secretsFile(dataDir), 'utf8').split('\n').filter(Boolean);
  const secrets = lines.map((line) => JSON.parse(line) as Secret);
  return [...new Map(secrets.map((secret) => [secret.value, secret])).values()];
}
