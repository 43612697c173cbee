import type { ChatPart, MessageRole } from '@gateway/interchange';
import { isObject } from '../../json/read-members.ts';
import { own } from '../shared/own-members.ts';
import { readSpelled } from '../shared/blocks.ts';
import { parseArguments } from '../shared/tools.ts';

export interface PartLoss {
  readonly reason: string;
  /** True when nothing of the part can be said. */
  readonly isWhole: boolean;
  /** What can be said of it, where that is not all. */
  readonly instead?: ChatPart;
}

/** What of a part the format cannot say in a message of that role. Undefined: it says all. */
export function findPartLoss(part: ChatPart, role: MessageRole, version: string): PartLoss | undefined {
  switch (part.type) {
    case 'audio':
      return whole('the format has no sound');
    case 'opaque':
      return isObject(own.read(part).block) ? undefined : whole('a part of another format');
    case 'thinking':
      return isSigned(part) ? undefined : whole('thinking that Anthropic did not sign');
    case 'image':
    case 'document':
      return findMediaLoss(part, role, version);
    case 'tool-call':
      return part.kind === 'custom' || parseArguments(part.argumentsText) !== undefined
        ? undefined
        : { reason: 'the arguments are no JSON object', isWhole: false };
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
    return whole('a file of another provider');
  }
  if (part.type === 'document' && role === 'assistant' && version !== '2023-06-01') {
    return whole(`version ${version} refuses documents of the assistant`);
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
    reason: `version ${version} refuses citations of the user`,
    isWhole: false,
    instead: { ...part, citations: [] },
  };
}
