// Simulates a hostile account in a separate process.
// The process sends requests continuously, and also serves as the hostile account's provider.
// The process has the lowest priority, so it uses only processor time that no other process needs.
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostileCommand, HostileLoad, HostileReply, Statuses } from './hostile-account.fixture.ts';

setPriority(constants.priority.PRIORITY_LOW);
// With autogroups, Linux compares process priorities only within a session.
// Each gateway process has its own session, so this process also gives its session the low priority.
try {
  writeFileSync('/proc/self/autogroup', String(constants.priority.PRIORITY_LOW));
} catch {
  // The operating system does not support autogroups.
}

let load: HostileLoad | null = null;
let sent = 0;
const statuses: Record<string, number> = {};
const senders = new Set<Promise<void>>();
/** The responses to the gateway's calls under `/hangs`, which the provider holds back. */
const hanging = new Set<ServerResponse>();

const completion = {
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_795_000_000, model: 'gpt-4o-mini-2024-07-18' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
};
const answer = (response: ServerResponse): void => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(completion));
};
const provider = createServer((request, response) => {
  response.once('close', () => hanging.delete(response));
  request.resume().once('end', () => {
    if (load !== null && request.url?.startsWith('/hangs') === true) hanging.add(response);
    else answer(response);
  });
}).listen(0, '127.0.0.1');

async function sendForever(own: HostileLoad): Promise<void> {
  while (load === own) {
    const { baseUrl, method, path, headers, body, pauseMs } = own;
    sent += 1;
    // Each request has a different body, so that no cache contains the response.
    const text = body?.replaceAll('{n}', `${process.pid}_${sent}`);
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      ...(text === undefined ? {} : { body: text }),
    }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    const status = response?.status ?? 0;
    statuses[status] = (statuses[status] ?? 0) + 1;
    // Random pauses prevent the senders from all sending at the same time.
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}

// The callback ignores errors, because the parent process may have ended.
const reply = (message: HostileReply): void =>
  void process.send?.(message, undefined, undefined, () => undefined);
const report = (): Statuses => ({ ...statuses });

process.on('message', (command: HostileCommand) => void obey(command));
async function obey(command: HostileCommand): Promise<void> {
  if (command.kind === 'send') {
    const own = command.load;
    load = own;
    for (let at = 0; at < own.concurrency; at += 1) {
      const sender = sendForever(own).finally(() => senders.delete(sender));
      senders.add(sender);
    }
  } else if (command.kind === 'pause') {
    load = null;
    hanging.forEach(answer);
    await Promise.all(senders);
  }
  reply({ statuses: report() });
}
process.on('disconnect', () => process.exit(0));
provider.once('listening', () => {
  const { port } = provider.address() as AddressInfo;
  reply({ providerUrl: `http://127.0.0.1:${port}` });
});
