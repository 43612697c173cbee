// Compresses large requests in a worker thread, so that large requests do not block the event loop.
import { workerData } from 'node:worker_threads';
import { serveTasks } from '../threads/serve-tasks.ts';
import { LargeWork, type LargeTask, type ThreadData } from './large-work.ts';

const work = new LargeWork(workerData as ThreadData);
serveTasks((task: LargeTask) => work.run(task));
