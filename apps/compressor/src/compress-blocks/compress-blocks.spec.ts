import type { CompressBlocksRequest } from '@gateway/contracts';
import { compressBlocks, ConversationStore } from './compress-blocks.ts';

const hashOf = (digit: number): string => String(digit).repeat(64);
const result = JSON.stringify({ rows: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, null, 8);
const toolBlock = { speaker: 'tool', text: result, frozen: false } as const;
const question = (over: Partial<CompressBlocksRequest>): CompressBlocksRequest => ({
  mode: 'lossless',
  recoverable: false,
  sessionSeed: hashOf(0),
  after: null,
  upTo: hashOf(1),
  blocks: [toolBlock],
  ...over,
});

describe('compressBlocks', () => {
  const open = () => ({ store: new ConversationStore(1_000_000), instanceId: 'one' });

  it('continues a remembered conversation with the same result as compressing the whole conversation', () => {
    const services = open();
    compressBlocks(question({}), services);
    const { reply: more } = compressBlocks(question({ after: hashOf(1), upTo: hashOf(2) }), services);
    const { reply: all } = compressBlocks(question({ blocks: [toolBlock, toolBlock] }), open());
    if (more.status !== 'compressed' || all.status !== 'compressed') throw new Error('not compressed');
    expect(more.results).toEqual(all.results.slice(1));
    expect(more.results[0]?.text).toMatch(/^\[same as above/);
  });

  it('rejects an unsupported version of the compression steps', () => {
    const replies = [1, 2].map((version) => compressBlocks(question({ version }), open()).reply.status);
    expect(replies).toEqual(['compressed', 'unsupported']);
  });

  it('returns unknown and its instance id for a conversation that it does not remember', () => {
    const services = open();
    const unknown = { status: 'unknown', instanceId: 'one' };
    expect(compressBlocks(question({ after: hashOf(1) }), services).reply).toEqual(unknown);
    compressBlocks(question({}), services);
    compressBlocks(question({ after: hashOf(1), upTo: hashOf(2) }), services);
    expect(compressBlocks(question({ after: hashOf(1), upTo: hashOf(3) }), services).reply).toEqual(unknown);
  });
});
