import { crc32 } from 'node:zlib';

const idCharactersMax = 64;
const idPattern = /^[\w.:-]{1,64}$/;

/**
 * A call's id as the API takes it; other providers make others up. Equal ids stay equal. Length and characters:
 * `ToolUseBlock.toolUseId` of the Amazon Bedrock API reference.
 */
export function mapToolId(id: string): string {
  if (idPattern.test(id)) return id;
  const mark = `_${crc32(id).toString(36)}`;
  return id.replaceAll(/[^\w.:-]/g, '_').slice(0, idCharactersMax - mark.length) + mark;
}
