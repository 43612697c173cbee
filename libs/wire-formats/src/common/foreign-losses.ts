import type { ChatMessage, ChatRequest, Extensions, Loss, ProviderFormat } from '@gateway/interchange';

/** Members that tell how a format spelled what the interchange carries: nothing is lost with them. */
const spellings: { readonly [Format in ProviderFormat]?: readonly string[] } = {
  'chat-completions': [
    'content',
    'role',
    'cache_control',
    'field',
    'max_tokens',
    'max_completion_tokens',
    'top_k',
    'random_seed',
    'stream_options',
    'extra_content',
  ],
  messages: ['spelling', 'output_format'],
  converse: ['spelling'],
  gemini: ['spelling'],
  cohere: ['spelling'],
};

/** Members of a request that only another format than `format` has a meaning for. */
export function findForeignLosses(request: ChatRequest, format: ProviderFormat): Loss[] {
  return [
    lossesOf('', request.extensions, format),
    ...request.messages.map((message, index) => findInMessage(message, `messages[${index}].`, format)),
    ...request.tools.map((tool, index) =>
      tool.kind === 'built-in' ? [] : lossesOf(`tools[${index}].`, tool.extensions, format),
    ),
  ].flat();
}

/** A part of another format is lost whole, and told by who renders parts. */
function findInMessage(message: ChatMessage, path: string, format: ProviderFormat): Loss[] {
  const inParts = message.parts.map((part, index) =>
    part.type === 'opaque' ? [] : lossesOf(`${path}parts[${index}].`, part.extensions, format),
  );
  return [lossesOf(path, message.extensions, format), ...inParts].flat();
}

function lossesOf(path: string, extensions: Extensions | undefined, format: ProviderFormat): Loss[] {
  return Object.entries(extensions ?? {})
    .filter(([owner]) => owner !== format)
    .flatMap(([owner, members]) => Object.keys(members).filter((name) => !isSpelling(owner, name)))
    .map((member) => ({ field: `${path}${member}`, reason: 'the format has no such member' }));
}

function isSpelling(owner: string, member: string): boolean {
  return spellings[owner as ProviderFormat]?.includes(member) ?? false;
}
