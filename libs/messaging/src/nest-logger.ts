import type { Logger } from '@gateway/observability';
import type { LoggerService } from '@nestjs/common';

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
