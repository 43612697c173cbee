import { randomFrom } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import type { LimitedKey } from './history.ts';
import { changeAccount, type ControlledAccount } from './control-operations.ts';
import { sendChat, type ChatKey } from './chat-operations.ts';
import type { Edge, Recorder } from './recorder.ts';

/** An account in a chaos run, with the keys that its clients use. */
export interface ChaosAccount extends ControlledAccount {
  readonly accountName: string;
  /** The credential that the gateway uses to call the providers. */
  readonly providerKey: string;
  /** Keys that no client revokes. */
  readonly chatKeys: readonly ChatKey[];
  /** A key with a rate limit that the clients try to exceed. */
  readonly limitedKey: { readonly key: ChatKey; readonly limit: LimitedKey } | null;
}

export interface Traffic {
  readonly recorder: Recorder;
  readonly edges: readonly Edge[];
  readonly accounts: readonly ChaosAccount[];
  /** An account that is deleted during the run. */
  readonly doomed: ChaosAccount;
  readonly seed: number;
  readonly durationMs: number;
}

/** The mean pauses in milliseconds between the requests of one client. */
const pauses = { chat: 350, control: 400, limited: 700 } as const;

type Step = (random: () => number, edge: Edge) => Promise<unknown>;

/** Sends the seeded mix of operations until the run ends. Resolves when all responses have arrived. */
export async function runClients(traffic: Traffic): Promise<void> {
  const { recorder, accounts, doomed, durationMs } = traffic;
  const clients: Promise<void>[] = [];
  const start = (pauseMs: number, step: Step): void => {
    const random = randomFrom(traffic.seed * 1_000 + clients.length);
    clients.push(repeat(traffic, pauseMs, random, step));
  };
  for (const account of accounts) {
    const chat: Step = (random, edge) =>
      sendChat(recorder, account, chooseKey(account, random), edge, random);
    start(pauses.chat, chat);
    start(pauses.chat, chat);
    for (let count = 0; count < 2; count += 1)
      start(pauses.control, (random, edge) => changeAccount(recorder, account, edge, random));
    const { limitedKey } = account;
    if (limitedKey)
      start(pauses.limited, (random, edge) => sendChat(recorder, account, limitedKey.key, edge, random));
  }
  clients.push(runDoomed(traffic, doomed, durationMs));
  await Promise.all(clients);
}

/** Half of the chats use a key that a different client changes or revokes. */
function chooseKey(account: ChaosAccount, random: () => number): ChatKey {
  const changing = [...account.pool.values()];
  const keys = changing.length > 0 && random() < 0.5 ? changing : account.chatKeys;
  return keys[Math.floor(random() * keys.length)]!;
}

async function repeat(traffic: Traffic, pauseMs: number, random: () => number, step: Step): Promise<void> {
  while (traffic.recorder.now() < traffic.durationMs) {
    const edge = traffic.edges[Math.floor(random() * traffic.edges.length)]!;
    await step(random, edge);
    await waitMs(2 * pauseMs * random());
  }
}

/** Sends an account's chats, deletes the account in the middle of the run, and sends chats for 5 s more. */
async function runDoomed(traffic: Traffic, doomed: ChaosAccount, durationMs: number): Promise<void> {
  const { recorder, edges, seed } = traffic;
  const random = randomFrom(seed * 1_000 + 999);
  const deletedAtMs = durationMs * (0.3 + 0.4 * random());
  let isDeleted = false;
  while (recorder.now() < Math.min(durationMs, deletedAtMs + 5_000)) {
    const edge = edges[Math.floor(random() * edges.length)]!;
    if (!isDeleted && recorder.now() > deletedAtMs) isDeleted = await deleteAccount(recorder, doomed, edge);
    await sendChat(recorder, doomed, doomed.chatKeys[0]!, edge, random);
    await waitMs(500 * random());
  }
}

/** Sends one request to delete the account. Returns whether the account is deleted. */
export async function deleteAccount(recorder: Recorder, account: ChaosAccount, edge: Edge): Promise<boolean> {
  const answer = await recorder.send({
    ...{ kind: 'account-delete', accountId: account.accountId, keyId: account.keyId, edge },
    sent: { method: 'DELETE', path: '/v1/account/me', key: account.apiKey },
  });
  return answer?.status === 202 || answer?.status === 401;
}
