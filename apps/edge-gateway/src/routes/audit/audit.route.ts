import {
  auditExportQuery,
  auditPage,
  auditQuery,
  exportAuditEvents,
  listAuditEvents,
  type AuditEvent,
  type AuditFilter,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, Header, Inject, Query, Res, type StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { FromCaller, type AccountCaller } from '../../access/access.guard.ts';
import { LogExports } from '../../access/log-exports.ts';
import { MESSAGING } from '../../access/tokens.ts';
import { AllowAccess, CountAs, Describe, type Operation } from '../../openapi/operation.ts';
import { parseQuery } from '../../request/validate-input.ts';
import { asUtc } from '../../request/usage-span.ts';

const listAudit: Operation = {
  id: 'listAuditEvents',
  tag: 'Account',
  summary: 'List the audit log, newest first',
  description:
    'Who changed keys, providers, the policy, routing preferences and models, who signed in, and who exported logs: with the time, the client’s address and the changed fields. Filters can be combined. `since` is inclusive and `until` is exclusive. Events are kept for a year unless the operator chose otherwise, and are deleted with the account. Failed sign-ins are recorded for existing people, at most 20 per person and hour.',
  query: auditQuery,
  answer: { status: 200, description: 'A page of the log.', schema: auditPage },
};

const exportAudit: Operation = {
  id: 'exportAuditEvents',
  tag: 'Account',
  summary: 'Export the audit log as CSV or JSON lines, newest first',
  description:
    'Takes the filters of the list. `format=csv` (RFC 4180, with a header line) has a column for each field, with `changes` as JSON. `format=jsonl` has one event of the list per line. The export itself is the newest event.',
  query: auditExportQuery,
  answer: { status: 200, description: 'The export.', contentType: 'text/csv', schema: z.string() },
};

/**
 * The columns in an export of the audit log, in order. A nested field of an audit event is named by its path.
 */
const columns = [
  ...['id', 'created_at', 'action', 'actor.type', 'actor.id', 'actor.name'],
  ...['target.type', 'target.id', 'target.name', 'changes', 'address', 'user_agent', 'request_id'],
];

/** Serves the audit log at `/v1/account/audit`. */
@Controller('/v1/account/audit')
@AllowAccess('api-key-or-session')
export class AuditRoute {
  readonly #messaging: Messaging;
  readonly #exports: LogExports;

  constructor(@Inject(MESSAGING) messaging: Messaging) {
    this.#messaging = messaging;
    this.#exports = new LogExports(messaging, 'audit');
  }

  @Get()
  @CountAs('analytics')
  @Describe(listAudit)
  async list(@FromCaller() { accountId }: AccountCaller, @Query() query: unknown): Promise<AuditPage> {
    const { limit, offset, ...given } = parseQuery(auditQuery, query);
    const call = { accountId, limit, offset, filter: chooseFilter(given) };
    const { events, total } = await this.#messaging.call(listAuditEvents, call);
    return { object: 'list', data: events, total, limit, offset };
  }

  @Get('/export')
  @CountAs('export')
  @Describe(exportAudit)
  @Header('cache-control', 'no-store')
  async export(
    @FromCaller() caller: AccountCaller,
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { format, ...given } = parseQuery(auditExportQuery, query);
    const call = { accountId: caller.accountId, filter: chooseFilter(given) };
    return this.#exports.send(caller, reply, {
      format,
      columns,
      readPage: async (before, limit) =>
        (await this.#messaging.call(exportAuditEvents, { ...call, before, limit })).events,
    });
  }
}

interface AuditPage {
  readonly object: 'list';
  readonly data: readonly AuditEvent[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

type GivenFilter = Omit<z.output<typeof auditQuery>, 'limit' | 'offset'>;

function chooseFilter({ action, actor, since, until }: GivenFilter): AuditFilter {
  return {
    ...(action === undefined ? {} : { action }),
    ...(actor === undefined ? {} : { actor }),
    ...(since === undefined ? {} : { since: asUtc(since) }),
    ...(until === undefined ? {} : { until: asUtc(until) }),
  };
}
