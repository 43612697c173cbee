import type { ServiceParts } from '@gateway/messaging/run-service';
import type { Metrics } from '@gateway/observability';
import {
  Inject,
  Module,
  type DynamicModule,
  type OnModuleDestroy,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import type { Redis } from 'ioredis';
import { AuditController } from './audit/audit.controller.ts';
import { AccountsController } from './accounts/accounts.controller.ts';
import { ChangeAnnouncer } from './announce/change-announcer.ts';
import { RedisEpochBoard } from './announce/redis-epoch-board.adapter.ts';
import type { Config } from './config.ts';
import { ConversationPlansController } from './conversation-plans/conversation-plans.controller.ts';
import { DELETION_LOGGER } from './deletion/delete-account.ts';
import { DeletionController } from './deletion/deletion.controller.ts';
import { DeletionRunner } from './deletion/deletion-runner.ts';
import { deletionSteps } from './deletion/deletion-steps.ts';
import { buildIdentity, IDENTITY, type Identity } from './identity/identity.ts';
import { IdentityController } from './identity/identity.controller.ts';
import { COUNT_KEY_LOOKUP, type CountKeyLookup } from './keys/authenticate-key.ts';
import { KeysController } from './keys/keys.controller.ts';
import { LastUsedRecorder, writeLastUsedTo } from './keys/last-used-recorder.ts';
import { KEY_PEPPER } from './keys/manage-keys.ts';
import { SmtpSender } from './mail/smtp-sender.ts';
import {
  ACCOUNT_DATABASE,
  AUTHENTICATION_DATABASE,
  type AccountDatabase,
} from './persistence/account-database.ts';
import { PreferencesController } from './preferences/preferences.controller.ts';
import { ExpiredRecordsJob } from './upkeep/expired-records.job.ts';

export interface AccountParts extends Pick<ServiceParts, 'messaging' | 'logger' | 'metrics'> {
  readonly config: Config;
  readonly database: AccountDatabase;
  /**
   * The account database, accessed through the connections that are reserved for key checks and login
   * sessions.
   */
  readonly authenticationDatabase: AccountDatabase;
  /** The Redis server for caches. The account service also runs without Redis. */
  readonly epochRedis: Redis;
}

@Module({})
export class AccountModule implements OnModuleInit, OnModuleDestroy {
  readonly #database: AccountDatabase;
  readonly #authenticationDatabase: AccountDatabase;
  readonly #lastUsed: LastUsedRecorder;
  readonly #expiredRecords: ExpiredRecordsJob;
  readonly #deletions: DeletionRunner;
  readonly #changes: ChangeAnnouncer;
  readonly #identity: Identity | null;

  constructor(
    @Inject(ACCOUNT_DATABASE) database: AccountDatabase,
    @Inject(AUTHENTICATION_DATABASE) authenticationDatabase: AccountDatabase,
    @Inject(LastUsedRecorder) lastUsed: LastUsedRecorder,
    @Inject(ExpiredRecordsJob) expiredRecords: ExpiredRecordsJob,
    @Inject(DeletionRunner) deletions: DeletionRunner,
    @Inject(ChangeAnnouncer) changes: ChangeAnnouncer,
    @Inject(IDENTITY) identity: Identity | null,
  ) {
    this.#database = database;
    this.#authenticationDatabase = authenticationDatabase;
    this.#lastUsed = lastUsed;
    this.#expiredRecords = expiredRecords;
    this.#deletions = deletions;
    this.#changes = changes;
    this.#identity = identity;
  }

  static forRoot(parts: AccountParts): DynamicModule {
    return {
      module: AccountModule,
      controllers: [
        KeysController,
        AccountsController,
        AuditController,
        DeletionController,
        PreferencesController,
        ConversationPlansController,
        IdentityController,
      ],
      providers: [
        { provide: ACCOUNT_DATABASE, useValue: parts.database },
        { provide: DELETION_LOGGER, useValue: parts.logger },
        { provide: AUTHENTICATION_DATABASE, useValue: parts.authenticationDatabase },
        { provide: KEY_PEPPER, useValue: parts.config.KEY_PEPPER },
        {
          provide: ChangeAnnouncer,
          useFactory: () => new ChangeAnnouncer({ ...parts, epochs: new RedisEpochBoard(parts.epochRedis) }),
        },
        ...provideJobs(parts),
        { provide: COUNT_KEY_LOOKUP, useFactory: () => createLookupCounter(parts.metrics) },
        {
          provide: IDENTITY,
          useFactory: (changes: ChangeAnnouncer) => createIdentity(parts, changes),
          inject: [ChangeAnnouncer],
        },
      ],
    };
  }

  onModuleInit(): void {
    this.#expiredRecords.start();
    this.#deletions.start();
    this.#changes.start();
  }

  /** The transport has already closed when this hook runs, so no RPC call is in progress. */
  async onModuleDestroy(): Promise<void> {
    this.#expiredRecords.stop();
    await this.#deletions.stop();
    await this.#changes.stop();
    await this.#identity?.linkMails?.close();
    await this.#lastUsed.flush();
    await Promise.all([this.#database.close(), this.#authenticationDatabase.close()]);
  }
}

function provideJobs({ config, database, messaging, logger }: AccountParts): Provider[] {
  return [
    {
      provide: LastUsedRecorder,
      useFactory: () =>
        new LastUsedRecorder(writeLastUsedTo(database), (error) =>
          logger.warn({ err: error }, 'recording the last use of some keys failed'),
        ),
    },
    {
      provide: ExpiredRecordsJob,
      useFactory: () =>
        new ExpiredRecordsJob({
          database,
          audit: { retentionDays: config.AUDIT_RETENTION_DAYS, eventsMax: config.AUDIT_EVENTS_MAX },
          onError: (error) =>
            logger.warn({ err: error }, 'deleting expired records failed; retrying in the next round'),
        }),
    },
    {
      provide: DeletionRunner,
      useFactory: (changes: ChangeAnnouncer) =>
        new DeletionRunner(database, deletionSteps(messaging, changes), logger),
      inject: [ChangeAnnouncer],
    },
  ];
}

function createLookupCounter(metrics: Metrics): CountKeyLookup {
  const lookups = metrics.counter({
    name: 'account_key_lookups_total',
    help: 'Lookups of API keys that gateways did not have in their caches.',
    labels: ['outcome'],
  });
  return (outcome) => lookups.inc({ outcome });
}

/**
 * Creates the embedded identity service. Returns null if the gateway uses an external OpenID Connect issuer.
 */
function createIdentity(
  { config, authenticationDatabase, metrics, logger }: AccountParts,
  changes: ChangeAnnouncer,
) {
  if (config.OIDC_ISSUER !== undefined) return null;
  const options = {
    secret: config.SESSION_SECRET,
    issuer: config.SESSION_ISSUER,
    audience: config.SESSION_AUDIENCE,
    accessTokenSeconds: config.SESSION_TOKEN_SECONDS,
    signUpOpen: config.SIGN_UP === 'open',
  };
  return buildIdentity(options, {
    database: authenticationDatabase,
    metrics,
    mail: createMail(config),
    onAuditError: (error) => logger.warn({ err: error }, 'recording an event in an audit log failed'),
    onMailError: (error, userId) => logger.warn({ err: error, user_id: userId }, 'sending an email failed'),
    announceLoginSessionChange: (change) => changes.announceLoginSessionChange(change),
  });
}

/** Creates the email sender. Returns null if no mail server is configured. */
function createMail({ SMTP_URL: url, MAIL_FROM: from, PUBLIC_URL: publicUrl }: Config) {
  if (url === undefined || from === undefined || publicUrl === undefined) return null;
  return { sender: new SmtpSender({ url, from }), publicUrl };
}
