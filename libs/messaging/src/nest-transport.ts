import type { RpcContract } from '@gateway/contracts';
import type { ExceptionFilter, LoggerService } from '@nestjs/common';
import { Catch, UseFilters, applyDecorators } from '@nestjs/common';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import { BaseRpcContext, MessagePattern, Server } from '@nestjs/microservices';
import type { Observable } from 'rxjs';
import { isObservable, lastValueFrom, throwError } from 'rxjs';
import type { Logger } from '@gateway/observability';
import type { Messaging } from './messaging.ts';

/**
 * Passes errors through unchanged. Nest's own filter would log them and replace them with a generic error.
 */
@Catch()
class PassErrorsOn implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown);
  }
}

/**
 * Marks a controller method as the handler for a contract. The method receives the parsed request and returns
 * the reply. If it throws a `GatewayError`, the caller receives that error.
 */
export function RpcHandler(contract: RpcContract): MethodDecorator {
  return applyDecorators(MessagePattern(contract.subject, { contract }), UseFilters(new PassErrorsOn()));
}

/** Nest microservice transport that serves `@RpcHandler` methods over messaging. */
export class RpcServer extends Server implements CustomTransportStrategy {
  readonly #messaging: Messaging;

  constructor(messaging: Messaging) {
    super();
    this.#messaging = messaging;
  }

  listen(callback: () => void): void {
    for (const [pattern, answer] of this.messageHandlers) {
      const contract = answer.extras?.['contract'] as RpcContract | undefined;
      if (contract === undefined) throw new Error(`${pattern} is not declared with @RpcHandler`);
      this.#messaging.serve(contract, async (request) => {
        const reply: unknown = await answer(request, new BaseRpcContext([]));
        return isObservable(reply) ? lastValueFrom(reply) : reply;
      });
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

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- required by the base class
  unwrap<T>(): T {
    return this.#messaging as T;
  }
}

/**
 * Writes Nest's own log output as JSON lines. Its info lines are logged as debug, because each startup writes
 * about twenty.
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
