import type { RpcContract } from '@gateway/contracts';
import { applyDecorators, Catch, UseFilters, type ExceptionFilter } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { throwError, type Observable } from 'rxjs';

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
