export default async function stopSharedStack() {
  await globalThis.sharedStackObserver?.close();
  await globalThis.sharedStackUnderTest?.stop();
}
