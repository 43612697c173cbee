import { compareFormats } from './responses-metamorphic.fixture.ts';

/**
 * The daily run covers the first 24 of 200 conversations. Run all conversations with
 * `RESPONSES_CONVERSATIONS=200 npm run test:e2e -- responses-metamorphic`.
 */
const conversationsMax = Number(process.env['RESPONSES_CONVERSATIONS'] ?? 24);

it(`${conversationsMax} conversations have the same lists, recovery, recall and log on /v1/responses as on chat-completions`, async () => {
  await compareFormats(conversationsMax);
}, 1_800_000);
