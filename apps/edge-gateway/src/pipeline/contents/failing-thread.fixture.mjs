// A content thread for tests.
// The text of a job determines whether the thread fails, hangs, rejects the job, or succeeds.
import { parentPort } from 'node:worker_threads';

parentPort.on('message', ({ copied }) => {
  const text = Buffer.from(copied.request.shown).toString();
  if (text === 'fail') throw new Error('failed on purpose');
  if (text === 'hang') for (;;);
  parentPort.postMessage({ packed: text === 'serve' ? 'served' : null });
});
