import {
  exportAuditEvents as exportAuditEventsContract,
  listAuditEvents as listAuditEventsContract,
  reportAuditEvents as reportAuditEventsContract,
} from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_DATABASE, type AccountDatabase } from '../persistence/account-database.ts';
import { exportAuditEvents, listAuditEvents } from './read-audit.ts';
import { reportAuditEvents } from './report-audit.ts';

/** Implements the contracts for the audit log. */
@Controller()
export class AuditController {
  readonly #context: { readonly database: AccountDatabase };

  constructor(@Inject(ACCOUNT_DATABASE) database: AccountDatabase) {
    this.#context = { database };
  }

  @RpcHandler(listAuditEventsContract)
  listAuditEvents(
    request: ParsedRequestOf<typeof listAuditEventsContract>,
  ): Promise<ReplyOf<typeof listAuditEventsContract>> {
    return listAuditEvents(this.#context, request);
  }

  @RpcHandler(exportAuditEventsContract)
  exportAuditEvents(
    request: ParsedRequestOf<typeof exportAuditEventsContract>,
  ): Promise<ReplyOf<typeof exportAuditEventsContract>> {
    return exportAuditEvents(this.#context, request);
  }

  @RpcHandler(reportAuditEventsContract)
  reportAuditEvents(
    request: ParsedRequestOf<typeof reportAuditEventsContract>,
  ): Promise<ReplyOf<typeof reportAuditEventsContract>> {
    return reportAuditEvents(this.#context, request);
  }
}
