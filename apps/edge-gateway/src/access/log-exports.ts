import { reportAuditEvents, type ReportedAuditEvent } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { uuidv7 } from 'uuidv7';
import { exportTypes, readExport, type ExportSource } from '../request/render-export.ts';
import type { AccountCaller } from './access.guard.ts';

/**
 * Maximum number of exports that one account may run at a time, because each running export occupies a log
 * query.
 */
const runningPerAccountMax = 2;

/**
 * Sends the request log or the audit log of an account as a file. Limits the number of concurrent exports per
 * account, and records each export in the audit log.
 */
export class LogExports {
  readonly #messaging: Pick<Messaging, 'call'>;
  readonly #log: 'requests' | 'audit';
  /** For each account, the number of exports that are running in this process. */
  readonly #counts = new Map<string, number>();

  constructor(messaging: Pick<Messaging, 'call'>, log: 'requests' | 'audit') {
    this.#messaging = messaging;
    this.#log = log;
  }

  /**
   * Records the export in the audit log, and then streams the file.
   * @throws GatewayError `rate_limit_exceeded` if the account runs too many exports, `service_unavailable` if
   * the export cannot be recorded
   */
  async send<Entry extends { readonly id: string }>(
    caller: AccountCaller,
    reply: FastifyReply,
    source: ExportSource<Entry>,
  ): Promise<StreamableFile> {
    const file = `${this.#log}.${source.format}`;
    reply.raw.once('close', this.#take(caller.accountId));
    await this.#record(caller, file);
    void reply.header('content-disposition', `attachment; filename="${file}"`);
    return new StreamableFile(Readable.from(readExport(source)), { type: exportTypes[source.format] });
  }

  /** Counts a running export. Returns a function that the caller must call when the export has ended. */
  #take(accountId: string): () => void {
    const count = this.#counts.get(accountId) ?? 0;
    if (count >= runningPerAccountMax) {
      throw new GatewayError('rate_limit_exceeded', {
        message: `An account may run ${runningPerAccountMax} exports at a time. Wait until one has ended.`,
        retryAfterMs: 10_000,
      });
    }
    this.#counts.set(accountId, count + 1);
    return () => this.#end(accountId);
  }

  #end(accountId: string): void {
    const count = this.#counts.get(accountId) ?? 0;
    if (count <= 1) this.#counts.delete(accountId);
    else this.#counts.set(accountId, count - 1);
  }

  /**
   * Records the audit event of an export before the first byte is sent, so that the audit log contains every
   * export.
   */
  async #record({ accountId, actor }: AccountCaller, file: string): Promise<void> {
    const event: ReportedAuditEvent = {
      id: uuidv7(),
      ...{ accountId, action: `${this.#log}.exported` as const, actor, changes: null },
      at: new Date().toISOString(),
      target: { type: 'log', id: this.#log, name: file },
    };
    await this.#messaging.call(reportAuditEvents, { events: [event] });
  }
}
