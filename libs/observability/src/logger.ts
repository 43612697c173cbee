import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import { redactLine } from './redaction/redact.ts';
import { currentTraceId } from './trace-context.ts';
import { currentSecrets } from './work-scope.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly service: string;
  readonly instanceId?: string;
  /** A pino level, which is trace, debug, info, warn, error, fatal or silent. */
  readonly level: string;
  /** The output for log lines. The default is standard output. */
  readonly destination?: DestinationStream;
}

/**
 * Creates a logger that writes JSON lines with `time` (RFC 3339), `service` and, inside a request,
 * `trace_id`. Every value in the complete log line is redacted, so no field, message or stack trace can
 * bypass redaction. Credentials of known forms are redacted, and so are the secrets of the current request's
 * account (`hideSecrets`).
 */
export function createLogger(options: LoggerOptions): Logger {
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
      hooks: { streamWrite: (line) => redactLine(line, currentSecrets()) },
    },
    options.destination ?? createLogOutput(),
  );
}

type LogOutput = ReturnType<typeof pino.destination>;

/**
 * Maximum number of bytes buffered while standard output is blocked. Log lines beyond the maximum are
 * dropped.
 */
const waitingBytesMax = 16 * 1024 * 1024;
/**
 * The logger flushes its buffer at a fixed size or age, because writing each line separately costs more than
 * creating the line.
 */
const chunkChars = 64 * 1024;
const flushEveryMs = 100;

/** Standard output, shared by all loggers in a process. Buffered lines are written when the process exits. */
export function createLogOutput(fd = 1): LogOutput {
  const output = pino.destination({
    dest: fd,
    sync: false,
    maxLength: waitingBytesMax,
    // If `minLength` is 1, a chunk of log lines is written immediately.
    // If `minLength` is 0, `flush` does not wait until the data is written.
    minLength: 1,
    maxWrite: 4 * chunkChars,
    periodicFlush: flushEveryMs,
  });
  joinLines(output);
  return output;
}

/**
 * Replaces the write methods of the log output, because the original methods count all buffered bytes for
 * every line. The existing log output is modified, because its timer and pino's exit listener call the write
 * methods.
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
    // The log output's timer flushes without a callback.
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
