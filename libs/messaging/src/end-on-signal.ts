import type { Logger } from '@gateway/observability';

/** Time limit for the shutdown. Less than the Kubernetes default of 30 s. */
const endWaitDefaultMs = 25_000;

/**
 * Shuts the process down on SIGTERM or SIGINT. The function runs `close`, then exits with 0, or with 1 if
 * `close` fails or takes longer than `endWaitMs`. Uncaught errors are logged through the redacting logger,
 * and the process exits with 1.
 */
export function endOnSignal(
  logger: Logger,
  close: () => Promise<void>,
  endWaitMs: number = endWaitDefaultMs,
): void {
  let isEnding = false;
  const exit = (code: number): void => {
    logger.flush(() => process.exit(code));
    // The log output may already be closed.
    setTimeout(() => process.exit(code), 500).unref();
  };
  const end = (signal: NodeJS.Signals): void => {
    if (isEnding) return;
    isEnding = true;
    logger.info({ signal }, 'process: shutting down after a signal');
    setTimeout(() => {
      logger.error('process: shutdown timed out');
      exit(1);
    }, endWaitMs).unref();
    close().then(
      () => exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'process: shutdown failed');
        exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('uncaughtException', (error, origin) => {
    logger.fatal({ err: error, origin }, 'process: uncaught error, exiting');
    exit(1);
  });
}
