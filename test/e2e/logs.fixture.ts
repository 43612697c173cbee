import type { StackUnderTest } from '@gateway/testing';

/** Finds the given strings in the stack's logs, and returns each match as `<service>: <text>`. */
export function findInLogs(stack: StackUnderTest, texts: readonly string[]): string[] {
  return Object.keys(stack.dev.services).flatMap((name) => {
    const log = stack.logs(name);
    return texts.filter((text) => log.includes(text)).map((text) => `${name}: ${text}`);
  });
}
