import { assessTools } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { LRUCache } from 'lru-cache';
import type { PlanSubject } from './planner.ts';

/** A list is told again after this long: the worker may have lost it, or not heard it. */
const againMs = 3_600_000;
/** However often an account's list changes, it is told at most once in this time. */
const restMs = 5_000;
const toolsMax = 1_000;
const bytesMax = 4 * 1024 * 1024;

/**
 * Tells the worker what tools an account offers together, so that it can say what their descriptions are worth. Off the
 * request's path, and never in its way: what can't be told is told with a later request.
 */
export class ToolReporter {
  readonly #messaging: Messaging;
  readonly #told = new LRUCache<string, true>({ max: 10_000, ttl: againMs });
  readonly #resting = new LRUCache<string, true>({ max: 10_000, ttl: restMs });

  constructor(messaging: Messaging) {
    this.#messaging = messaging;
  }

  report(subject: PlanSubject, accountId: string): void {
    const key = accountId + subject.list.listHash;
    if (this.#told.has(key) || this.#resting.has(accountId)) return;
    this.#told.set(key, true);
    this.#resting.set(accountId, true);
    setImmediate(() => void this.#tell(subject, accountId, key));
  }

  async #tell({ format, tape, tools }: PlanSubject, accountId: string, key: string): Promise<void> {
    const own = tools.filter(({ builtIn }) => !builtIn).slice(0, toolsMax);
    const bytes = own.reduce((sum, { range }) => sum + range.end - range.start, 0);
    if (own.length === 0 || bytes > bytesMax) return;
    try {
      const definitions = format.client.toolDefinitions(tape, own).flatMap((definition) => {
        const { name, description, parameters, examples } = definition;
        const isNamed = name !== null && name !== '' && name.length <= 256;
        return isNamed ? [{ name, description, parameters, examples: [...examples] }] : [];
      });
      await this.#messaging.call(assessTools, { accountId, tools: definitions });
    } catch {
      this.#told.delete(key);
    }
  }
}
