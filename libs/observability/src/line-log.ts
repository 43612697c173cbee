import type { DestinationStream } from 'pino';
import { secretRedactor, type SecretRedactor } from './secret-redactor.ts';

export interface LineLogOptions {
  readonly service: string;
  readonly instanceId: string;
  /** Lines are of level info: above it nothing is written. */
  readonly level: string;
  readonly destination: DestinationStream;
  readonly redact?: SecretRedactor;
  /** Milliseconds of Unix time. */
  readonly now?: () => number;
}

/** Writes one kind of line, over and over. */
export interface LineLog {
  write(fields: Readonly<Record<string, unknown>>): void;
}

const levelsWithInfo = new Set(['trace', 'debug', 'info']);

/**
 * For the one wide line a request: the same JSON as `createLogger` writes, by the same redactor, without what a general
 * logger does for every line (merging bindings, looking for errors, serialisers), which costs more than the line.
 */
export function createLineLog(message: string, options: LineLogOptions): LineLog {
  if (!levelsWithInfo.has(options.level)) return { write: () => undefined };
  const { destination, redact: redactor = secretRedactor, now = Date.now } = options;
  const clock = new LineClock();
  const head = `{"level":"info","service":${JSON.stringify(options.service)},"instance_id":${JSON.stringify(options.instanceId)},"time":"`;
  const tail = `,"msg":${JSON.stringify(message)}}\n`;
  return {
    write(fields) {
      const members = JSON.stringify(fields).slice(1, -1);
      const line = `${head}${clock.render(now())}"${members === '' ? '' : ','}${members}${tail}`;
      destination.write(redactor.redact(line));
    },
  };
}

/** RFC 3339 to the millisecond. All before the milliseconds is rendered once a second. */
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
