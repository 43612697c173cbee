import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import type { SecretRedactor } from './secret-redactor.ts';
import { secretRedactor } from './secret-redactor.ts';
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

type LogOutput = ReturnType<typeof pino.destination>;

/** Bytes held while standard output takes nothing; what comes on top is dropped. */
const waitingBytesMax = 16 * 1024 * 1024;
/** Lines are written together, at this size or age: a write a line would cost more than the line. */
const chunkChars = 64 * 1024;
const flushEveryMs = 100;

/** Standard output, as loggers of one process may share it. What still waits as the process exits is written then. */
export function createLogOutput(fd = 1): LogOutput {
  const output = pino.destination({
    dest: fd,
    sync: false,
    maxLength: waitingBytesMax,
    // A chunk is written at once. With 0, `flush` would not wait until it is.
    minLength: 1,
    maxWrite: 4 * chunkChars,
    periodicFlush: flushEveryMs,
  });
  joinLines(output);
  return output;
}

/**
 * Makes the output take lines and pass chunks on: by itself it counts the bytes of all that waits with every line. It is
 * changed in place, because its own timer and pino's listener to the end of the process call these methods of it.
 */
function joinLines(output: LogOutput): void {
  const write = output.write.bind(output);
  const flush = output.flush.bind(output);
  const flushSync = output.flushSync.bind(output);
  const end = output.end.bind(output);
  let waiting = '';
  const pass = (): void => {
    if (waiting === '') return;
    const chunk = waiting;
    waiting = '';
    write(chunk);
  };
  output.write = (line) => {
    waiting += line;
    if (waiting.length >= chunkChars) pass();
    return true;
  };
  output.flush = (done) => {
    pass();
    // The timer has nobody to tell.
    if (done) flush(done);
  };
  output.flushSync = () => {
    pass();
    flushSync();
  };
  output.end = () => {
    pass();
    end();
  };
}
