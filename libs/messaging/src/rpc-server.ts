import type { RpcContract } from '@gateway/contracts';
import { BaseRpcContext, Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { Messaging } from './messaging.ts';

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
