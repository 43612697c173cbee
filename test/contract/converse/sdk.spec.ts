import {
  ConverseCommand,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { foldAnswer } from '@gateway/interchange';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { sdkReading } from './sdk-reading.ts';
import { client, isBinary, provider, rerender } from './exchange.ts';

async function readPlain(bytes: Buffer): Promise<unknown> {
  const answer = await sdkReading(bytes, 'application/json').send(
    new ConverseCommand({ modelId: 'm', messages: [] }),
  );
  return { ...answer, $metadata: undefined };
}

interface SdkSum {
  readonly texts: Record<number, string>;
  readonly members: unknown[];
}

/**
 * Returns true for a stream event that carries content. Message starts, block ends and empty block starts
 * carry no content.
 */
function isTold({
  contentBlockStart: started,
  contentBlockStop: stopped,
  messageStart,
}: ConverseStreamOutput): boolean {
  const isEmptyStart = started !== undefined && Object.keys(started.start ?? {}).length === 0;
  return stopped === undefined && messageStart === undefined && !isEmptyStart;
}

/** Returns the stream as the SDK reads it, with the text chunks of each content block joined. */
async function readStream(bytes: Buffer): Promise<SdkSum> {
  const answer = await sdkReading(bytes, 'application/vnd.amazon.eventstream').send(
    new ConverseStreamCommand({ modelId: 'm', messages: [] }),
  );
  const texts: Record<number, string> = {};
  const members: unknown[] = [];
  for await (const event of answer.stream ?? []) {
    const { contentBlockDelta: delta } = event;
    const text = delta?.delta?.text ?? delta?.delta?.toolUse?.input ?? delta?.delta?.reasoningContent?.text;
    if (text !== undefined) {
      const index = delta?.contentBlockIndex ?? -1;
      // A tool call without arguments streams either nothing or `{}`.
      if (text !== '{}') texts[index] = (texts[index] ?? '') + text;
    } else if (isTold(event)) members.push(event);
  }
  return { texts, members };
}

checkEvery(
  'rendered response read by the SDK',
  'converse',
  (recording) => isAnswered(recording) && !isBinary(recording),
  async (recording) => {
    const bytes = bodyOf(recording, 'response');
    const rendered = client.renderResponse(foldAnswer(provider.parseResponse(bytes)), {
      id: '',
      model: '',
      createdAt: 0,
    });
    const after = await readPlain(Buffer.from(JSON.stringify(rendered)));
    expect(after).toEqual(await readPlain(bytes));
  },
);

checkEvery('rendered response read by the SDK', 'converse_stream', isBinary, async (recording) => {
  const before = await readStream(bodyOf(recording, 'response'));
  const after = await readStream(rerender(recording));
  const said = ({ texts }: SdkSum) => Object.entries(texts).filter(([, text]) => text !== '');
  expect(said(after)).toEqual(said(before));
  const inOrder = (members: unknown[]) => members.map((member) => JSON.stringify(member)).sort();
  expect(inOrder(after.members)).toEqual(inOrder(before.members));
});
