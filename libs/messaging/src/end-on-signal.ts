import type { Logger } from '@gateway/observability';

/** Within the 30 s that Kubernetes gives by default. */
const endWaitDefaultMs = 25_000;

/**
 * Ends the process in order on SIGTERM or SIGINT: runs `close`, then exits with 0; with 1 if that fails or takes too
 * long, which is `endWaitMs`. An error that nobody caught is logged by the logger, which redacts it, and ends the process with 1.
 */
export function endOnSignal(
  logger: Logger,
  close: () => Promise<void>,
  endWaitMs: number = endWaitDefaultMs,
): void {
  let isEnding = false;
  const exit = (code: number): void => {
    logger.flush(() => process.exit(code));
    // The log may have nowhere to go any more.
    setTimeout(() => process.exit(code), 500).unref();
  };
  const end = (signal: NodeJS.Signals): void => {
    if (isEnding) return;
    isEnding = true;
    logger.info({ signal }, 'ending');
    setTimeout(() => {
      logger.error('the end took too long');
      exit(1);
    }, endWaitMs).unref();
    close().then(
      () => exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'the end failed');
        exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('uncaughtException', (error, origin) => {
    logger.fatal({ err: error, origin }, 'an error that nobody caught');
    exit(1);
  });
}
