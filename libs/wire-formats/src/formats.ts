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
import { responses } from './responses/responses.ts';

const clientFormats: Readonly<Record<ClientFormat, ClientWireFormat>> = {
  'chat-completions': withForeignLosses(chatCompletions),
  converse: withForeignLosses(converse),
  messages: withForeignLosses(messages),
  responses: withForeignLosses(responses),
};

/** The table of all formats. A new format needs its own folder and an entry in the table of formats. */
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
 * Adds a loss for each field that only another format defines. A format cannot detect fields of other
 * formats, because formats do not depend on each other.
 */
function withForeignLosses<Format extends WireFormat>(format: Format): Format {
  const { provider } = format;
  return {
    ...format,
    provider: {
      ...provider,
      renderRequest: (request, options) => {
        const adopted = adoptMembers(request, format);
        const { body, losses } = provider.renderRequest(adopted, options);
        return { body, losses: [...findForeignLosses(adopted, format), ...losses] };
      },
    } satisfies WireFormat['provider'],
  };
}

/** Moves shared request fields from the extensions of other formats to the target format's extensions. */
function adoptMembers(request: ChatRequest, { name, adoptedMembers = {} }: WireFormat): ChatRequest {
  let extensions = request.extensions ?? {};
  for (const [other, shared = []] of Object.entries(adoptedMembers) as [ProviderFormat, string[]][]) {
    const entries = Object.entries(extensions[other] ?? {});
    const adopted = entries.filter(([member]) => shared.includes(member));
    if (adopted.length === 0) continue;
    const rest = entries.filter(([member]) => !shared.includes(member));
    const own = { ...Object.fromEntries(adopted), ...extensions[name] };
    extensions = { ...extensions, [other]: Object.fromEntries(rest), [name]: own };
  }
  return extensions === request.extensions ? request : { ...request, extensions };
}

function findForeignLosses(request: ChatRequest, { name: format, takesGrammars }: WireFormat): Loss[] {
  return [
    listLosses('', request.extensions, format),
    ...request.messages.map((message, index) => findInMessage(message, `messages[${index}].`, format)),
    ...request.tools.map((tool, index) =>
      tool.kind === 'built-in' ? [] : listLosses(`tools[${index}].`, tool.extensions, format),
    ),
    ...request.tools.map((tool, index) =>
      tool.kind === 'custom' && tool.grammar !== undefined && takesGrammars !== true
        ? [{ field: `tools[${index}].grammar`, reason: 'the format has no grammars for tools' }]
        : [],
    ),
  ].flat();
}

/** Skips opaque parts, because each opaque part is already reported as one loss. */
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
