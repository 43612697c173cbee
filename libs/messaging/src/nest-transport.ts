import type { RpcContract } from '@gateway/contracts';
import type { ExceptionFilter, LoggerService } from '@nestjs/common';
import { Catch, UseFilters, applyDecorators } from '@nestjs/common';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import { BaseRpcContext, MessagePattern, Server } from '@nestjs/microservices';
import type { Observable } from 'rxjs';
import { isObservable, lastValueFrom, throwError } from 'rxjs';
import type { Logger } from '@gateway/observability';
import type { Messaging } from './messaging.ts';

/** Lets errors through as they are: Nest's own filter would log them and make every one of them the same. */
@Catch()
class PassErrorsOn implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown);
  }
}

/**
 * Marks a controller's method as what answers a contract. It gets the parsed request and returns the reply; a
 * `GatewayError` that it throws is the caller's to see.
 */
export function RpcHandler(contract: RpcContract): MethodDecorator {
  return applyDecorators(MessagePattern(contract.subject, { contract }), UseFilters(new PassErrorsOn()));
}

/** The transport of a Nest microservice: its `@RpcHandler` methods are served over messaging. */
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

  /** Nest closes the transport first and what handlers need after it: so what is in work still ends well. */
  close(): Promise<void> {
    return this.#messaging.close();
  }

  on(): never {
    throw new Error('Use Messaging.onReconnect.');
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the base class declares it so
  unwrap<T>(): T {
    return this.#messaging as T;
  }
}

/** Nest's own log lines as JSON lines of ours, one level quieter: a start has twenty of them. */
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
