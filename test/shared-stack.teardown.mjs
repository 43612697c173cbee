export default async function stopSharedStack() {
  await globalThis.sharedStackObserver?.stopWatching();
  await globalThis.sharedStackUnderTest?.stop();
  await globalThis.sharedStackObserver?.close();
}
