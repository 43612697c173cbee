import { randomBytes, randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { getSealingKey, openCredential, putCredential, rewrapCredentials } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { createSealingKeyPair, openSealed, seal, type Messaging } from '@gateway/messaging';
import { newId } from '@gateway/persistence';
import { startStack, type StackUnderTest } from '@gateway/testing';
import { rotateKek, type RotationOutcome } from '../../tools/rotate-kek/rotate-kek.ts';
import { connectAs, type Undo } from '../integration/stack.fixture.ts';

/** A vault with two replicas, a key-encryption key file, and stored credentials. */
export interface VaultUnderTest {
  readonly stack: StackUnderTest;
  readonly edge: Messaging;
  readonly operator: Messaging;
  readonly credentials: readonly StoredCredential[];
  /**
   * Writes the given key-encryption key versions to the file, and restarts the replicas one by
   * one.
   */
  rollKeys(...versions: number[]): Promise<void>;
}

export interface StoredCredential {
  readonly accountId: string;
  readonly provider: string;
  readonly apiKey: string;
}

const replicas = ['provider-vault', 'provider-vault-2'];
const providersPerAccount = 20;
const recipient = createSealingKeyPair();

export async function startVault(
  folder: string,
  credentialCount: number,
  undo: Undo[],
): Promise<VaultUnderTest> {
  const file = join(folder, 'kek');
  const keys = new Map<number, string>();
  const writeKeys = (...versions: number[]) => {
    for (const version of versions) {
      if (!keys.has(version)) keys.set(version, randomBytes(32).toString('base64'));
    }
    writeFileSync(file, versions.map((version) => `${version}:${keys.get(version)}`).join('\n'));
  };
  writeKeys(1);
  const env = { 'provider-vault': { VAULT_KEK: '', VAULT_KEK_FILE: file } };
  const stack = await startStack({ apps: ['provider-vault'], replicas: { 'provider-vault': 2 }, env });
  undo.push(() => stack.stop());
  const [edge, operator] = await Promise.all([
    connectAs(stack, 'edge-gateway'),
    connectAs(stack, 'operator'),
  ]);
  undo.push(() => Promise.all([edge.close(), operator.close()]));
  const rollKeys = async (...versions: number[]) => {
    writeKeys(...versions);
    for (const name of replicas) await stack.service(name).restart();
  };
  return { stack, edge, operator, rollKeys, credentials: await storeCredentials(edge, credentialCount) };
}

async function storeCredentials(edge: Messaging, count: number): Promise<StoredCredential[]> {
  const accountIds = Array.from({ length: Math.ceil(count / providersPerAccount) }, newId);
  const credentials = Array.from({ length: count }, (_, at) => ({
    accountId: accountIds[Math.floor(at / providersPerAccount)]!,
    provider: `provider-${at % providersPerAccount}`,
    apiKey: `sk-${at}-${randomBytes(16).toString('hex')}`,
  }));
  for (let at = 0; at < count; at += 10) {
    await Promise.all(credentials.slice(at, at + 10).map((credential) => putOne(edge, credential)));
  }
  return credentials;
}

export async function putOne(
  edge: Messaging,
  { accountId, provider, apiKey }: StoredCredential,
): Promise<void> {
  const { publicKey } = await edge.call(getSealingKey, {});
  const sealedSecret = seal(Buffer.from(JSON.stringify({ apiKey })), publicKey);
  await edge.call(putCredential, { accountId, provider, baseUrl: null, sealedSecret });
}

/** When a replica dies, the client retries its open requests, as the gateway does. */
const askedAgainMax = 8;
const answerWithinMs = 750;

/**
 * Reads a credential through the vault. Rejects if the decryption fails or returns a different
 * credential.
 */
export async function openOne(edge: Messaging, stored: StoredCredential): Promise<void> {
  const { accountId, provider, apiKey } = stored;
  const request = { accountId, provider, recipientPublicKey: recipient.publicKey };
  for (let attempt = 1; ; attempt++) {
    try {
      const { sealedSecret } = await edge.call(openCredential, request, { deadlineMs: answerWithinMs });
      const opened = openSealed(sealedSecret ?? '', recipient.privateKey).toString('utf8');
      if ((JSON.parse(opened) as { apiKey: string }).apiKey !== apiKey) throw new Error('another credential');
      return;
    } catch (error) {
      const isAway = error instanceof GatewayError && error.code === 'service_unavailable';
      if (!isAway || attempt === askedAgainMax) throw error;
    }
  }
}

export interface Readers {
  readonly reads: () => number;
  readonly failures: readonly unknown[];
  stop(): Promise<void>;
}

/** Reads random credentials, a few in parallel, until the test stops the reading. */
export function startReaders(vault: VaultUnderTest): Readers {
  const failures: unknown[] = [];
  let reads = 0;
  let isRunning = true;
  const read = async () => {
    while (isRunning) {
      const stored = vault.credentials[randomInt(vault.credentials.length)]!;
      await openOne(vault.edge, stored).catch((error: unknown) => failures.push(error));
      reads += 1;
      await wait(2);
    }
  };
  const readers = Array.from({ length: 3 }, read);
  const stop = async () => {
    isRunning = false;
    await Promise.all(readers);
  };
  return { reads: () => reads, failures, stop };
}

/** Simulates that the rotation command is killed, which can happen at any step. */
class CommandKilled extends Error {}

/**
 * Rotates the key-encryption key while processes are killed. The test kills a replica in the middle of a
 * batch, or kills the rotation command. The test restarts killed processes.
 */
export async function rotateUnderKills(vault: VaultUnderTest, kills: number): Promise<RotationOutcome> {
  const rowsMax = Math.max(1, Math.floor(vault.credentials.length / (kills * 2)));
  let killed = 0;
  const call: Messaging['call'] = async (contract, request, options) => {
    const isBatch = (contract as unknown) === rewrapCredentials;
    if (!isBatch || killed === kills) return vault.operator.call(contract, request, options);
    killed += 1;
    const answer = vault.operator.call(contract, request, { ...options, deadlineMs: 1_500 });
    if (killed % 5 === 0) {
      await answer;
      throw new CommandKilled();
    }
    const [settled] = await Promise.all([Promise.allSettled([answer]), killReplica(vault, killed)]);
    if (settled[0].status === 'rejected') throw settled[0].reason;
    return settled[0].value;
  };
  const options = { version: null, rowsMax, report: () => undefined, patienceMs: 60_000 };
  for (;;) {
    try {
      return await rotateKek({ call }, options);
    } catch (error) {
      if (!(error instanceof CommandKilled)) throw error;
    }
  }
}

async function killReplica({ stack }: VaultUnderTest, nth: number): Promise<void> {
  const unit = stack.service(replicas[nth % 2]!);
  await wait(randomInt(25));
  await unit.kill('SIGKILL');
  await unit.start();
}
