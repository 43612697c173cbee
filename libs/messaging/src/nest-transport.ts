import type { RpcContract } from '@gateway/contracts';
import type { ExceptionFilter, LoggerService } from '@nestjs/common';
import { Catch, UseFilters, applyDecorators } from '@nestjs/common';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import { BaseRpcContext, MessagePattern, Server } from '@nestjs/microservices';
import type { Observable } from 'rxjs';
import { isObservable, lastValueFrom, throwError } from 'rxjs';
import type { Logger } from '@gateway/observability';
import type { FairQueue } from './fair-queue.ts';
import type { Messaging } from './messaging.ts';

/**
 * Passes errors through unchanged. Nest's default filter would log the errors and replace them with a generic
 * error.
 */
class PassErrorsOn implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown);
  }
}
// `Catch` is called as a function because Node cannot run decorator syntax.
// The router's benchmark imports the sources of this library directly.
Catch()(PassErrorsOn);

/**
 * Marks a controller method as the handler for a contract. The method receives the parsed request and returns
 * the reply. If the method throws a `GatewayError`, the caller receives that error.
 */
export function RpcHandler(contract: RpcContract): MethodDecorator {
  return applyDecorators(MessagePattern(contract.subject, { contract }), UseFilters(new PassErrorsOn()));
}

/**
 * Maximum number of concurrent requests if the service is shared among accounts. The queue that shares the
 * service has a lower limit, so only that queue rejects calls.
 */
const sharedInFlightMax = 8_192;

/**
 * Nest microservice transport that serves `@RpcHandler` methods over messaging. If an account share is
 * configured, calls with an account id run in that account's slots. Calls without an account id run
 * immediately.
 */
export class RpcServer extends Server implements CustomTransportStrategy {
  readonly #messaging: Messaging;
  readonly #share: FairQueue | undefined;

  constructor(messaging: Messaging, share?: FairQueue) {
    super();
    this.#messaging = messaging;
    this.#share = share;
  }

  listen(callback: () => void): void {
    for (const [pattern, answer] of this.messageHandlers) {
      const contract = answer.extras?.['contract'] as RpcContract | undefined;
      if (contract === undefined) throw new Error(`${pattern} is not declared with @RpcHandler`);
      const run = async (request: unknown): Promise<unknown> => {
        const reply: unknown = await answer(request, new BaseRpcContext([]));
        return isObservable(reply) ? lastValueFrom(reply) : reply;
      };
      const share = this.#share;
      if (share === undefined) this.#messaging.serve(contract, run);
      else {
        const runInTurn = (request: unknown): Promise<unknown> => {
          const accountId = findAccount(request);
          return accountId === undefined ? run(request) : share.run(accountId, () => run(request));
        };
        this.#messaging.serve(contract, runInTurn, { inFlightMax: sharedInFlightMax });
      }
    }
    callback();
  }

  /** Nest closes the transport before the providers that handlers use, so requests in progress can finish. */
  close(): Promise<void> {
    return this.#messaging.close();
  }

  on(): never {
    throw new Error('Use Messaging.onReconnect.');
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- Nest's `Server` declares `unwrap<T>(): T`, and an override needs the same signature
  unwrap<T>(): T {
    return this.#messaging as T;
  }
}

/** Returns the account id in the call, or undefined if the call contains no account id. */
function findAccount(request: unknown): string | undefined {
  if (typeof request !== 'object' || request === null || !('accountId' in request)) return undefined;
  return typeof request.accountId === 'string' ? request.accountId : undefined;
}

/**
 * Writes Nest's own log output as JSON lines. Info lines from Nest are logged at debug level, because each
 * startup writes about twenty of them.
 */
export function nestLogger(logger: Logger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error' | 'fatal') =>
    (message: unknown, ...rest: unknown[]): void => {
      const context = rest.at(-1);
      const fields = {
        ...(typeof context === 'string' ? { context } : {}),
        ...(message instanceof Error ? { err: message } : {}),
      };
      logger[level](fields, message instanceof Error ? message.message : String(message));
    };
  return {
    log: write('debug'),
    debug: write('debug'),
    verbose: write('debug'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
  };
}
