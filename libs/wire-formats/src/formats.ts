import type {
  ChatMessage,
  ChatRequest,
  ClientFormat,
  Extensions,
  Loss,
  ProviderFormat,
} from '@gateway/interchange';
import { chatCompletions } from './chat-completions/chat-completions.ts';
import { cohere } from './cohere/cohere.ts';
import type { ClientWireFormat, WireFormat } from './common/format.ts';
import { converse } from './converse/converse.ts';
import { gemini } from './gemini/gemini.ts';
import { messages } from './messages/messages.ts';

const clientFormats: Readonly<Record<ClientFormat, ClientWireFormat>> = {
  'chat-completions': withForeignLosses(chatCompletions),
  converse: withForeignLosses(converse),
  messages: withForeignLosses(messages),
};

/** The table of all formats. To add a format, add the format's folder and an entry to this table. */
const providerFormats: Readonly<Record<ProviderFormat, WireFormat>> = {
  ...clientFormats,
  gemini: withForeignLosses(gemini),
  cohere: withForeignLosses(cohere),
};

export function formatNamed(name: ClientFormat): ClientWireFormat {
  return clientFormats[name];
}

export function providerFormatNamed(name: ProviderFormat): WireFormat {
  return providerFormats[name];
}

/**
 * Adds losses for fields that only another format defines. A format cannot detect these fields, because
 * formats do not depend on each other.
 */
function withForeignLosses<Format extends WireFormat>(format: Format): Format {
  const { provider } = format;
  return {
    ...format,
    provider: {
      ...provider,
      renderRequest: (request, options) => {
        const { body, losses } = provider.renderRequest(request, options);
        return { body, losses: [...findForeignLosses(request, format.name), ...losses] };
      },
    } satisfies WireFormat['provider'],
  };
}

function findForeignLosses(request: ChatRequest, format: ProviderFormat): Loss[] {
  return [
    listLosses('', request.extensions, format),
    ...request.messages.map((message, index) => findInMessage(message, `messages[${index}].`, format)),
    ...request.tools.map((tool, index) =>
      tool.kind === 'built-in' ? [] : listLosses(`tools[${index}].`, tool.extensions, format),
    ),
  ].flat();
}

/** Skips opaque parts, because the target format reports each opaque part as one loss. */
function findInMessage(message: ChatMessage, path: string, format: ProviderFormat): Loss[] {
  const inParts = message.parts.map((part, index) =>
    part.type === 'opaque' ? [] : listLosses(`${path}parts[${index}].`, part.extensions, format),
  );
  return [listLosses(path, message.extensions, format), ...inParts].flat();
}

function listLosses(path: string, extensions: Extensions | undefined, format: ProviderFormat): Loss[] {
  return Object.entries(extensions ?? {})
    .filter(([owner]) => owner !== format)
    .flatMap(([owner, members]) => Object.keys(members).filter((name) => !isSpelling(owner, name)))
    .map((member) => ({ field: `${path}${member}`, reason: 'the format has no such member' }));
}

function isSpelling(owner: string, member: string): boolean {
  return providerFormats[owner as ProviderFormat].spellings.includes(member);
}
