import {
  getRequest,
  listRequests,
  requestExportQuery,
  requestLogQuery,
  type RequestDetail,
  type RequestFilter,
  type RequestLogEntry,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, Header, Inject, Param, Query, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { parseInput } from '../../request/read-body.ts';
import { tokens } from '../../tokens.ts';
import { asUtc } from '../../request/usage-span.ts';
import { exportRequestLog, getRequestDetail, listRequestLog } from './account-requests.operations.ts';
import { readLines } from './read-lines.ts';
import { readShownContent } from './read-shown-content.ts';
import { exportTypes } from './render-export.ts';
import { withKeptContext } from './with-kept-context.ts';

interface RequestPage {
  readonly object: 'list';
  readonly data: readonly RequestLogEntry[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** `/v1/account/requests` and its alias `/v1/requests`: the log of what happened. */
@Controller()
@AllowAccess('api-key-or-session')
export class AccountRequestsRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(tokens.messaging) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Get(['/v1/account/requests', '/v1/requests'])
  @Describe(listRequestLog)
  async list(@FromCaller() caller: AccountCaller, @Query() query: unknown): Promise<RequestPage> {
    const { limit, offset, ...given } = parseInput(requestLogQuery, query);
    const filter = chooseFilter(given);
    const call = { accountId: caller.accountId, limit, offset, filter };
    const { requests, total } = await this.#messaging.call(listRequests, call);
    return { object: 'list', data: requests, total, limit, offset };
  }

  @Get(['/v1/account/requests/export', '/v1/requests/export'])
  @Describe(exportRequestLog)
  @Header('cache-control', 'no-store')
  export(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): StreamableFile {
    const { format, ...given } = parseInput(requestExportQuery, query);
    const lines = readLines(this.#messaging, { accountId, filter: chooseFilter(given), format });
    void reply.header('content-disposition', `attachment; filename="requests.${format}"`);
    return new StreamableFile(Readable.from(lines), { type: exportTypes[format] });
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
      throw new GatewayError('not_found', { message: `There is no request "${requestId}".` });
    const [shown, content] = await Promise.all([
      withKeptContext(request, { accountId, session, blocks }, this.#messaging),
      readShownContent(accountId, requestId, this.#messaging),
    ]);
    return { ...shown, content };
  }
}

type GivenFilter = Omit<z.output<typeof requestLogQuery>, 'limit' | 'offset'>;

function chooseFilter({ key_id, session_id, from, to, ...others }: GivenFilter): RequestFilter {
  return {
    ...others,
    ...(key_id === undefined ? {} : { keyId: key_id }),
    ...(session_id === undefined ? {} : { sessionId: session_id }),
    ...(from === undefined ? {} : { from: asUtc(from) }),
    ...(to === undefined ? {} : { to: asUtc(to) }),
  };
}
