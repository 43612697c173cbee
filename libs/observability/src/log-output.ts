import { pino } from 'pino';

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
