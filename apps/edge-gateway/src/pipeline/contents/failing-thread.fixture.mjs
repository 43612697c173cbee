// Stands for a content thread that fails, hangs, refuses or serves, as the job's text says.
import { parentPort } from 'node:worker_threads';

parentPort.on('message', ({ copied }) => {
  const text = Buffer.from(copied.request.shown).toString();
  if (text === 'fail') throw new Error('failed on purpose');
  if (text === 'hang') for (;;);
  parentPort.postMessage({ packed: text === 'serve' ? 'served' : null });
});
