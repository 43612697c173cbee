import type { RequestDetail, RequestFilter, RequestLogEntry } from '@gateway/contracts';
import {
  exportRequests,
  getRequest,
  requestDetail,
  requestExportQuery,
  requestLogPage,
  requestLogQuery,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import type { StreamableFile } from '@nestjs/common';
import { Controller, Get, Header, Inject, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { MESSAGING } from '../../access/tokens.ts';
import type { Operation } from '../../openapi/operation.ts';
import { AllowAccess, CountAs, Describe } from '../../openapi/operation.ts';
import { LogExports } from '../../access/log-exports.ts';
import { parseQuery } from '../../request/validate-input.ts';
import { asUtc } from '../../request/usage-span.ts';
import { addStoredContext, readStoredContent, RequestPages } from './read-requests.ts';

/**
 * The columns in an export of the request log, in order. A nested field of a log entry is named by its path.
 */
export const requestColumns = [
  ...[
    'id',
    'created_at',
    'session_id',
    'key_id',
    'client_request_id',
    'endpoint',
    'format',
    'provider',
    'model',
  ],
  ...['requested_model', 'stream', 'status', 'http_status', 'error_code', 'intent'],
  ...['tools_offered', 'tools_in', 'tools_out', 'tools_pruned'],
  ...['routing', 'k', 'k_reason', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'cached_tokens'],
  ...[
    'cache_write_tokens',
    'cache_miss.cause',
    'cache_miss.detail',
    'cache_miss.tokens',
    'cache_miss.usd',
    'usage_estimated',
    'tool_tokens_saved',
    'estimated_tokens_saved',
    'compression_tokens_saved',
    'recovery_tokens',
    'recovery_tokens_deducted',
    'net_tokens_saved',
    'cost_usd',
    'provider_savings_usd',
    'gross_savings_usd',
  ],
  ...['ms.total', 'ms.first_byte', 'ms.overhead', 'ms.auth', 'ms.plan', 'ms.upstream', 'trace_id'],
] as const;

const listRequestLog: Operation = {
  id: 'listRequestLog',
  tag: 'Requests and usage',
  summary: 'List requests, by default newest first',
  description:
    'Filters can be combined. `from` is inclusive and `to` is exclusive. With a filter, `total` counts up to 100,000. A search reads all requests of the period, so a short period is faster.',
  query: requestLogQuery,
  answer: { status: 200, description: 'A page of the log.', schema: requestLogPage },
};

const exportRequestLog: Operation = {
  id: 'exportRequestLog',
  tag: 'Requests and usage',
  summary: 'Export requests as CSV or JSON lines, newest first',
  description:
    'Takes the filters of the list and exports at most a million requests. `format=csv` (RFC 4180, with a header line) has a column for each figure. `format=jsonl` has one entry of the list per line. An export that fails ends without its last chunk. An account may run two exports at a time.',
  query: requestExportQuery,
  answer: { status: 200, description: 'The export.', contentType: 'text/csv', schema: z.string() },
};

const getRequestDetail: Operation = {
  id: 'getRequestDetail',
  tag: 'Requests and usage',
  summary: 'Read one request, with the reasons why its tools were kept or pruned',
  params: z.object({
    request_id: z.uuid().meta({ description: 'The `X-Request-ID` of the response.' }),
  }),
  answer: { status: 200, description: 'The request.', schema: requestDetail },
};

interface RequestPage {
  readonly object: 'list';
  readonly data: readonly RequestLogEntry[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** Serves the request log at `/v1/account/requests` and at the alias `/v1/requests`. */
@Controller()
@AllowAccess('api-key-or-session')
@CountAs('analytics')
export class RequestsRoute {
  readonly #messaging: Messaging;
  readonly #exports: LogExports;
  readonly #pages: RequestPages;

  constructor(@Inject(MESSAGING) messaging: Messaging) {
    this.#messaging = messaging;
    this.#exports = new LogExports(messaging, 'requests');
    this.#pages = new RequestPages(messaging);
  }

  @Get(['/v1/account/requests', '/v1/requests'])
  @Describe(listRequestLog)
  async list(@FromCaller() caller: AccountCaller, @Query() query: unknown): Promise<RequestPage> {
    const { limit, offset, sort, order: direction, ...given } = parseQuery(requestLogQuery, query);
    const filter = chooseFilter(given);
    const { accountId } = caller;
    const isDefault = sort === 'created_at' && direction === 'desc';
    const order = isDefault ? {} : { order: { by: sort, isDescending: direction === 'desc' } };
    const { total, requests } = await this.#pages.read({ accountId, limit, offset, filter, ...order });
    return { object: 'list', data: requests, total, limit, offset };
  }

  @Get(['/v1/account/requests/export', '/v1/requests/export'])
  @CountAs('export')
  @Describe(exportRequestLog)
  @Header('cache-control', 'no-store')
  async export(
    @FromCaller() caller: AccountCaller,
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { format, ...given } = parseQuery(requestExportQuery, query);
    const call = { accountId: caller.accountId, filter: chooseFilter(given) };
    return this.#exports.send(caller, reply, {
      format,
      columns: requestColumns,
      readPage: async (before, limit) =>
        (await this.#messaging.call(exportRequests, { ...call, before, limit })).requests,
    });
  }

  @Get('/v1/account/requests/:requestId')
  @Describe(getRequestDetail)
  async find(
    @FromCaller() caller: AccountCaller,
    @Param('requestId') requestId: string,
  ): Promise<RequestDetail> {
    if (!z.uuid().safeParse(requestId).success) throw new GatewayError('not_found');
    const { accountId } = caller;
    const { request, session, blocks } = await this.#messaging.call(getRequest, { accountId, requestId });
    if (request === null)
      throw new GatewayError('not_found', { message: `The request "${requestId}" is not in the log.` });
    const [shown, content] = await Promise.all([
      addStoredContext(request, { accountId, session, blocks }, this.#messaging),
      readStoredContent(accountId, requestId, this.#messaging),
    ]);
    return { ...shown, content };
  }
}

type GivenFilter = Omit<z.output<typeof requestLogQuery>, 'limit' | 'offset' | 'sort' | 'order'>;

function chooseFilter({ key_id, session_id, from, to, ...others }: GivenFilter): RequestFilter {
  return {
    ...others,
    ...(key_id === undefined ? {} : { keyId: key_id }),
    ...(session_id === undefined ? {} : { sessionId: session_id }),
    ...(from === undefined ? {} : { from: asUtc(from) }),
    ...(to === undefined ? {} : { to: asUtc(to) }),
  };
}
