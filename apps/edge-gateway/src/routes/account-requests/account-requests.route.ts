import {
  getRequest,
  listRequests,
  requestLogQuery,
  type RequestDetail,
  type RequestLogEntry,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { AllowAccess } from '../../http/access.ts';
import type { AccountCaller } from '../../http/account-caller.ts';
import { FromCaller } from '../../http/caller.decorator.ts';
import { Describe } from '../../http/operation.ts';
import { parseInput } from '../../http/zod-input.ts';
import { tokens } from '../../tokens.ts';
import { asUtc } from '../account-usage/usage-span.ts';
import { getRequestDetail, listRequestLog } from './account-requests.operations.ts';
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
    const { limit, offset, key_id, session_id, from, to, ...others } = parseInput(requestLogQuery, query);
    const filter = {
      ...others,
      ...(key_id === undefined ? {} : { keyId: key_id }),
      ...(session_id === undefined ? {} : { sessionId: session_id }),
      ...(from === undefined ? {} : { from: asUtc(from) }),
      ...(to === undefined ? {} : { to: asUtc(to) }),
    };
    const call = { accountId: caller.accountId, limit, offset, filter };
    const { requests, total } = await this.#messaging.call(listRequests, call);
    return { object: 'list', data: requests, total, limit, offset };
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
    return withKeptContext(request, { accountId, session, blocks }, this.#messaging);
  }
}
