import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { startRequestTrace } from '@gateway/observability';
import { createExchange, type Exchange } from './exchange.ts';

/** A chat-completions exchange with a client that stays connected. */
export function openExchange(): Exchange {
  const request = new IncomingMessage(new Socket());
  return createExchange({
    ...{ requestId: 'r', endpoint: '/v1/chat/completions', format: 'chat-completions', route: undefined },
    ...{ request, response: new ServerResponse(request), trace: startRequestTrace() },
  });
}
