export default async function stopAll() {
  await globalThis.browserUnderTest?.stop();
  await globalThis.stackUnderTest?.stop();
}
