import type { DestinationStream } from 'pino';
import { redactRecord } from './redaction/redact.ts';
import { currentSecrets } from './work-scope.ts';

export interface LineLogOptions {
  readonly service: string;
  readonly instanceId: string;
  /**
   * Log lines are written at the level `info`. If the configured log level is higher than info, nothing
   * is written.
   */
  readonly level: string;
  readonly destination: DestinationStream;
  /** The time of the log line, as Unix time in milliseconds. */
  readonly now?: () => number;
}

/** Writes log lines that all have the same message. */
export interface LineLog {
  write(fields: Readonly<Record<string, unknown>>): void;
}

const levelsWithInfo = new Set(['trace', 'debug', 'info']);

/**
 * A logger for the log line that each request produces. The JSON output and the redaction are the same as
 * with `createLogger`. The logger skips merging bindings, searching for errors, and running serializers,
 * because each of these steps costs more than writing the line.
 */
export function createLineLog(message: string, options: LineLogOptions): LineLog {
  if (!levelsWithInfo.has(options.level)) return { write: () => undefined };
  const { destination, now = Date.now } = options;
  const clock = new LineClock();
  const head = `{"level":"info","service":${JSON.stringify(options.service)},"instance_id":${JSON.stringify(options.instanceId)},"time":"`;
  const tail = `,"msg":${JSON.stringify(message)}}\n`;
  return {
    write(fields) {
      const members = JSON.stringify(redactRecord(fields, currentSecrets())).slice(1, -1);
      destination.write(`${head}${clock.render(now())}"${members === '' ? '' : ','}${members}${tail}`);
    },
  };
}

/**
 * Formats a timestamp as RFC 3339 with milliseconds. The text before the milliseconds is formatted once per
 * second.
 */
class LineClock {
  #second = NaN;
  #text = '';

  render(now: number): string {
    const ms = now % 1_000;
    if (now - ms !== this.#second) {
      this.#second = now - ms;
      this.#text = new Date(now).toISOString().slice(0, -'000Z'.length);
    }
    return `${this.#text}${String(ms).padStart(3, '0')}Z`;
  }
}
