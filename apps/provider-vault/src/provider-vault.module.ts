import type { ServiceParts } from '@gateway/messaging/run-service';
import { Inject, Module, type DynamicModule, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AuditShipper } from './audit/audit-outbox.ts';
import { CredentialEvents } from './credentials/credential-events.ts';
import { CredentialsController } from './credentials/credentials.controller.ts';
import { KeyRing } from './encryption/key-ring.ts';
import { Enrolment } from './keys/enrolment.ts';
import { KeyVersions } from './keys/key-versions.ts';
import { KeysController } from './keys/keys.controller.ts';
import { SealingKeys } from './keys/sealing-keys.ts';
import { VAULT_DATABASE, type VaultDatabase } from './persistence/vault-database.ts';

export interface ProviderVaultParts extends Pick<ServiceParts, 'messaging' | 'logger' | 'metrics'> {
  readonly database: VaultDatabase;
  readonly keyRing: KeyRing;
  readonly keyVersions: KeyVersions;
  readonly sealingKeys: SealingKeys;
  /**
   * The keys of this replica are registered before the module exists, so that a replica without the right
   * keys never serves requests.
   */
  readonly enrolment: Enrolment;
}

@Module({})
export class ProviderVaultModule implements OnModuleInit, OnModuleDestroy {
  readonly #database: VaultDatabase;
  readonly #enrolment: Enrolment;
  readonly #audit: AuditShipper;

  constructor(
    @Inject(VAULT_DATABASE) database: VaultDatabase,
    @Inject(Enrolment) enrolment: Enrolment,
    @Inject(AuditShipper) audit: AuditShipper,
  ) {
    this.#database = database;
    this.#enrolment = enrolment;
    this.#audit = audit;
  }

  static forRoot(parts: ProviderVaultParts): DynamicModule {
    return {
      module: ProviderVaultModule,
      controllers: [KeysController, CredentialsController],
      providers: [
        { provide: VAULT_DATABASE, useValue: parts.database },
        { provide: KeyRing, useValue: parts.keyRing },
        { provide: KeyVersions, useValue: parts.keyVersions },
        { provide: SealingKeys, useValue: parts.sealingKeys },
        { provide: Enrolment, useValue: parts.enrolment },
        { provide: AuditShipper, useFactory: () => new AuditShipper(parts) },
        {
          provide: CredentialEvents,
          useFactory: (audit: AuditShipper) => new CredentialEvents(parts, audit),
          inject: [AuditShipper],
        },
      ],
    };
  }

  onModuleInit(): void {
    this.#audit.start();
  }

  /** The transport has already closed when this hook runs, so no RPC call is in progress. */
  async onModuleDestroy(): Promise<void> {
    await this.#audit.stop();
    await this.#enrolment.end();
    await this.#database.close();
  }
}
