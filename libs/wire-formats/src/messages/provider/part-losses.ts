import type { ChatPart, MessageRole } from '@gateway/interchange';
import { isObject } from '../../json/read-members.ts';
import { own } from '../shared/own-members.ts';
import { readSpelled } from '../shared/blocks.ts';
import { parseArguments } from '../shared/tools.ts';

export interface PartLoss {
  readonly reason: string;
  /** True if the whole message part is lost. */
  readonly isWhole: boolean;
  /** The replacement for a message part if only some of its content is lost. */
  readonly instead?: ChatPart;
}

/**
 * Returns what is lost if the part is rendered in a message of the given role. Returns undefined if nothing
 * is lost.
 */
export function findPartLoss(part: ChatPart, role: MessageRole, version: string): PartLoss | undefined {
  switch (part.type) {
    case 'audio':
      return whole('the format has no audio');
    case 'opaque':
      return isObject(own.read(part).block) ? undefined : whole('the part belongs to another format');
    case 'thinking':
      return isSigned(part) ? undefined : whole('Anthropic did not sign the thinking');
    case 'image':
    case 'document':
      return findMediaLoss(part, role, version);
    case 'tool-call':
      return part.kind === 'custom' || parseArguments(part.argumentsText) !== undefined
        ? undefined
        : { reason: 'the arguments are not a JSON object', isWhole: false };
    case 'text':
      return findCitationLoss(part, role, version);
    case 'refusal':
    case 'tool-result':
      return undefined;
  }
}

function whole(reason: string): PartLoss {
  return { reason, isWhole: true };
}

function isSigned({ signature, redacted }: Extract<ChatPart, { type: 'thinking' }>): boolean {
  return redacted !== undefined || (signature ?? '') !== '';
}

function findMediaLoss(
  part: Extract<ChatPart, { type: 'image' | 'document' }>,
  role: MessageRole,
  version: string,
): PartLoss | undefined {
  if (part.source.kind === 'file' && readSpelled(part).spelling.source === undefined) {
    return whole('the file is stored at another provider');
  }
  if (part.type === 'document' && role === 'assistant' && version !== '2023-06-01') {
    return whole(`version ${version} rejects documents in assistant messages`);
  }
  return undefined;
}

function findCitationLoss(
  part: Extract<ChatPart, { type: 'text' }>,
  role: MessageRole,
  version: string,
): PartLoss | undefined {
  if (part.citations === undefined || role === 'assistant' || version === '2023-06-01') return undefined;
  return {
    reason: `version ${version} rejects citations in user messages`,
    isWhole: false,
    instead: { ...part, citations: [] },
  };
}
