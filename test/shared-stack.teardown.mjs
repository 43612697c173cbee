export default async function stopSharedStack() {
  await globalThis.sharedStackUnderTest?.stop();
}
