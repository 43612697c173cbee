import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanContext } from '@opentelemetry/api';
import type { SecretSet } from './redaction/secret-set.ts';

/** A request or message that is being handled, including all asynchronous work for it. */
export interface WorkScope {
  /** The request's trace while tracing is off. While tracing is on, OpenTelemetry stores the trace. */
  readonly spanContext: SpanContext | undefined;
  /**
   * The secrets of the account that the work belongs to. The secrets are undefined until the account has been
   * determined.
   */
  secrets: SecretSet | undefined;
  /** Milliseconds that failed calls to other services have taken so far. */
  lostMs: number;
}

const scopes = new AsyncLocalStorage<WorkScope>();

export function createScope(spanContext?: SpanContext): WorkScope {
  return { spanContext, secrets: undefined, lostMs: 0 };
}

export function runInScope<T>(scope: WorkScope, fn: () => T): T {
  return scopes.run(scope, fn);
}

export function currentScope(): WorkScope | undefined {
  return scopes.getStore();
}

/**
 * Redacts the given secrets in all later log lines and spans of the current request or message. The call does
 * not affect other requests, and has no effect outside a request.
 */
export function hideSecrets(secrets: SecretSet): void {
  const scope = scopes.getStore();
  if (scope !== undefined) scope.secrets = secrets;
}

/** The secrets to redact in the current request or message. */
export function currentSecrets(): SecretSet | undefined {
  return scopes.getStore()?.secrets;
}
