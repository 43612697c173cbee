// Compresses large requests in a worker thread, so that they do not block the compressor's event loop.
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { LargeWork, type ThreadData, type ThreadReply, type ThreadRequest } from './large-work.ts';

// On Linux this applies to the calling thread only: requests on the event loop take precedence over large texts.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const work = new LargeWork(workerData as ThreadData);

// The parent waits for each reply before it sends another task, so this thread needs no queue.
parentPort?.on('message', ({ id, task }: ThreadRequest) => {
  parentPort?.postMessage({ id, outcome: run(task) } satisfies ThreadReply);
});

function run(task: ThreadRequest['task']): ThreadReply['outcome'] {
  try {
    return { result: work.run(task) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
