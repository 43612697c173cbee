import { runAtOnce } from '@gateway/messaging';
import { hashToolList } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { defineTool } from './tools.fixture.ts';
import { ToolMemory } from './tool-memory.ts';

const tools = Array.from({ length: 20 }, (_, at) => defineTool(`tool_${at}`, 'some words that a tool has'));
const hashes = tools.map(({ hash }) => hash);
const listHash = hashToolList(hashes);
const find = (memory: ToolMemory, ...question: Parameters<ToolMemory['find']>) =>
  runAtOnce(memory.find(...question));
const roomy = { definitionsBytesMax: 1e8, listsBytesMax: 1e8 };

describe('ToolMemory', () => {
  it('requests the list first, then each missing definition once', () => {
    const memory = new ToolMemory(roomy);
    expect(find(memory, listHash, undefined)).toEqual({ status: 'unknown', missing: [] });
    memory.define(tools.slice(0, 18));
    const twice = [...hashes, hashes[19] ?? ''];
    expect(find(memory, hashToolList(twice), twice)).toEqual({
      status: 'unknown',
      missing: hashes.slice(18),
    });
    memory.define(tools.slice(18));
    expect(find(memory, listHash, hashes).status).toBe('known');
    expect(find(memory, listHash, undefined).status).toBe('known');
  });

  it('rejects tools whose hash belongs to another tool list', () => {
    const memory = new ToolMemory(roomy);
    memory.define(tools);
    expect(() => find(memory, listHash, hashes.slice(1))).toThrow(GatewayError);
    expect(find(memory, listHash, undefined).status).toBe('unknown');
  });

  it('stays within its limits and evicts the least recently used entries', () => {
    const memory = new ToolMemory({ definitionsBytesMax: 20_000, listsBytesMax: 40_000 });
    for (let round = 0; round < 50; round += 1) {
      const own = tools.slice(0, 10).map((tool) => defineTool(`${String(tool.name)}_${round}`));
      const ownHashes = own.map(({ hash }) => hash);
      memory.define(own);
      expect(find(memory, hashToolList(ownHashes), ownHashes).status).toBe('known');
    }
    expect(memory.definitions).toBeLessThan(60);
    expect(memory.lists).toBeLessThan(20);
  });

  it('keeps indexed lists when it evicts definitions', () => {
    const memory = new ToolMemory({ definitionsBytesMax: 30_000, listsBytesMax: 1e8 });
    memory.define(tools);
    expect(find(memory, listHash, hashes).status).toBe('known');
    memory.define(Array.from({ length: 100 }, (_, at) => defineTool(`other_${at}`)));
    expect(find(memory, listHash, hashes).status).toBe('known');
  });
});
