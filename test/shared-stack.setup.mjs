import { startStack } from '../libs/testing/src/stack/start-stack.ts';

/** Starts one stack for all test files of a run; they find it by `sharedStack()`. */
export default async function startSharedStack() {
  const stack = await startStack();
  globalThis.sharedStackUnderTest = stack;
  process.env.SHARED_STACK_DATA_DIR = stack.dataDir;
}
