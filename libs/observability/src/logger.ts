import { pino, type DestinationStream, type Logger } from 'pino';
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

/** Bytes held while standard output takes nothing; what comes on top is dropped. */
const waitingBytesMax = 16 * 1024 * 1024;
/** Lines are written together, at this size or age: a write a line would cost more than the line. */
const writeBytes = 64 * 1024;
const flushEveryMs = 100;

/** Standard output, as loggers of one process may share it. */
export function createLogOutput(): DestinationStream {
  return pino.destination({
    dest: 1,
    sync: false,
    maxLength: waitingBytesMax,
    minLength: writeBytes,
    maxWrite: 2 * writeBytes,
    periodicFlush: flushEveryMs,
  });
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
