import { pino, type DestinationStream, type Logger } from 'pino';
import { createLogOutput } from './log-output.ts';
import { secretRedactor, type SecretRedactor } from './secret-redactor.ts';
import { currentTraceId } from './trace-context.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly service: string;
  readonly instanceId?: string;
  /** A pino level: trace, debug, info, warn, error, fatal or silent. */
  readonly level: string;
  readonly redact?: SecretRedactor;
  /** Standard output unless given. */
  readonly destination?: DestinationStream;
}

/**
 * A logger of JSON lines with `time` (RFC 3339), `service` and, inside a request, `trace_id`. The redactor sees each
 * line as it is written, so that no field, message or stack goes around it.
 */
export function createLogger(options: LoggerOptions): Logger {
  const redactor = options.redact ?? secretRedactor;
  return pino(
    {
      level: options.level,
      base: {
        service: options.service,
        ...(options.instanceId === undefined ? {} : { instance_id: options.instanceId }),
      },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => {
        const traceId = currentTraceId();
        return traceId === undefined ? {} : { trace_id: traceId };
      },
      hooks: { streamWrite: (line) => redactor.redact(line) },
    },
    options.destination ?? createLogOutput(),
  );
}
