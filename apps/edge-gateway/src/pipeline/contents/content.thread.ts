// Redacts and packs large request contents in a worker thread, so that the event loop is not blocked.
// The parent thread waits for each reply before it sends another job, so the content thread needs no queue.
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { SecretSet } from '@gateway/observability';
import type { ContentJob, ContentReply } from './content-thread.ts';
import { packContentSync } from './pack-content.ts';
import { renderContent } from './render-content.ts';

// On Linux, `setPriority` lowers the priority of the calling thread only, so the event loop takes precedence.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
parentPort?.on('message', (job: ContentJob) => parentPort?.postMessage(pack(job)));

function pack({ copied, secrets }: ContentJob): ContentReply {
  try {
    const own = new SecretSet(Math.max(1, secrets.length));
    for (const secret of secrets) own.add(secret);
    return { packed: packContentSync(renderContent(copied, own)) };
  } catch {
    // The error is not reported, because its message may quote the contents of the request.
    return { packed: null };
  }
}
