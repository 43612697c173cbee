// A child process that request-spool.spec.ts starts and kills.
// The child process accepts and finishes requests in a loop, and prints each step that the spool has confirmed.
import { createAcceptedEvent, createEndedEvent } from '@gateway/testing';
import { RequestSpool } from './request-spool.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const spool = await RequestSpool.open({
  dir: process.argv[2] ?? '',
  bytesMax: 1 << 28,
  instanceId: 'child',
  log: quiet,
  segmentBytesMax: 100_000,
});
for (;;) {
  const accepted = Array.from({ length: 10 }, () => createAcceptedEvent());
  await Promise.all(accepted.map((event) => spool.accept(event)));
  process.stdout.write(accepted.map(({ requestId }) => `A ${requestId}\n`).join(''));
  const finished = accepted.slice(3);
  for (const event of finished) spool.finish(createEndedEvent(event), null);
  await spool.flush();
  process.stdout.write(finished.map(({ requestId }) => `F ${requestId}\n`).join(''));
}
