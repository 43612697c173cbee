import {
  credentialChanged,
  reportAuditEvents,
  reportedAuditEvent,
  type Actor,
  type AuditChanges,
  type ReportedAuditEvent,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import type { Logger } from '@gateway/observability';
import { newId } from '@gateway/persistence';
import type { Prisma, VaultDatabase, VaultModels } from '../persistence/vault-database.ts';

/** A change of a provider credential, for the account's audit log. */
interface CredentialChange {
  readonly accountId: string;
  readonly provider: string;
  readonly action: Extract<ReportedAuditEvent['action'], `provider.${string}`>;
  /** The credential fields that changed, without secret values. */
  readonly changes: AuditChanges | null;
  readonly actor?: Actor | undefined;
}

/**
 * Queues an audit event in the same transaction as the change. Either both the change and the audit event are
 * stored, or neither is stored.
 */
export async function queueAudit(
  tx: Pick<VaultModels, 'auditOutboxEvent'>,
  { accountId, provider, action, changes, actor }: CredentialChange,
): Promise<void> {
  const id = newId();
  const event: ReportedAuditEvent = {
    ...{ id, accountId, action, changes },
    at: new Date().toISOString(),
    target: { type: 'provider', id: provider, name: provider },
    ...(actor === undefined ? {} : { actor }),
  };
  const data = { id, accountId, event: event as Prisma.InputJsonObject };
  await tx.auditOutboxEvent.create({ data, select: { id: true } });
}

/** Milliseconds between searches for audit events that have not been sent yet. */
const everyMs = 2_000;
/**
 * Delay in milliseconds before queued audit events are sent. Events within the delay are sent together, so
 * that frequent changes of one account cause few calls to the account service.
 */
const gatherMs = 200;
/** Maximum number of events per call. Failed calls reduce it, and successful calls raise it by `eventsAdded`. */
const eventsMax = 100;
const eventsAdded = 5;

interface QueuedEvent {
  readonly id: string;
  readonly event: unknown;
}

interface ShipperParts {
  readonly database: VaultDatabase;
  readonly messaging: Pick<Messaging, 'broadcast' | 'call'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Sends queued audit events to the account service, oldest first, while the service runs. The account service
 * stores each event once, so several replicas may send the same event.
 */
export class AuditShipper {
  readonly #parts: ShipperParts;
  #timer: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isStopping = false;
  /**
   * The current maximum number of events per call. Each failed call halves the maximum, so that a slow account
   * service can store the events before the timeout.
   */
  #eventsAtOnce = eventsMax;
  /** Ids of the events that the previous query returned. Their credential changes were already broadcast. */
  #announced: ReadonlySet<string> = new Set();

  constructor(parts: ShipperParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.wake(), everyMs).unref();
    this.wake();
  }

  /** Sends queued audit events soon, unless sending is already in progress. */
  wake(): void {
    if (this.#isStopping) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#round ??= this.#ship().finally(() => (this.#round = undefined));
    }, gatherMs).unref();
  }

  /** Waits until the current call to the account service has finished. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    clearTimeout(this.#gathering);
    await this.#round;
  }

  async #ship(): Promise<void> {
    const { auditOutboxEvent } = this.#parts.database.acrossAccounts;
    try {
      for (;;) {
        const take = this.#eventsAtOnce;
        const rows = await auditOutboxEvent.findMany({ orderBy: { id: 'asc' }, take });
        this.#announce(rows);
        if (rows.length > 0) await this.#sendAll(rows);
        this.#eventsAtOnce = Math.min(eventsMax, take + eventsAdded);
        if (this.#isStopping || rows.length < take) return;
      }
    } catch (error) {
      this.#eventsAtOnce = Math.ceil(this.#eventsAtOnce / 2);
      this.#parts.logger.warn({ err: error }, 'reporting audit events failed, retrying');
    }
  }

  /**
   * For new events, broadcasts each changed credential once. An event is new if the previous query did
   * not return it.
   */
  #announce(rows: readonly QueuedEvent[]): void {
    const changed = new Map<string, { readonly accountId: string; readonly provider: string }>();
    for (const { id, event } of rows) {
      const { data } = reportedAuditEvent.safeParse(event);
      const provider = data?.target?.id ?? null;
      if (data === undefined || provider === null || this.#announced.has(id)) continue;
      changed.set(`${data.accountId}:${provider}`, { accountId: data.accountId, provider });
    }
    for (const credential of changed.values()) this.#parts.messaging.broadcast(credentialChanged, credential);
    this.#announced = new Set(rows.map(({ id }) => id));
  }

  /**
   * Sends several events in one call. If the account service rejects a call, each of its events is sent separately.
   */
  async #sendAll(rows: readonly QueuedEvent[]): Promise<void> {
    try {
      const events = rows.map(({ event }) => reportedAuditEvent.parse(event));
      await this.#parts.messaging.call(reportAuditEvents, { events });
      await this.#remove(rows);
    } catch (error) {
      if (!isRejected(error)) throw error;
      for (const row of rows) {
        if (this.#isStopping) return;
        await this.#send(row);
        await this.#remove([row]);
      }
    }
  }

  /**
   * Sends a single audit event. If the account service rejects the event, the function drops the event,
   * because it would block later events.
   */
  async #send({ id, event }: QueuedEvent): Promise<void> {
    const { messaging, logger } = this.#parts;
    try {
      await messaging.call(reportAuditEvents, { events: [reportedAuditEvent.parse(event)] });
    } catch (error) {
      if (!isRejected(error)) throw error;
      logger.error(
        { err: error, event_id: id },
        'the account service rejected an audit event; it is dropped',
      );
    }
  }

  async #remove(rows: readonly QueuedEvent[]): Promise<void> {
    const { auditOutboxEvent } = this.#parts.database.acrossAccounts;
    await auditOutboxEvent.deleteMany({ where: { id: { in: rows.map(({ id }) => id) } } });
  }
}

function isRejected(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'invalid_field';
}
