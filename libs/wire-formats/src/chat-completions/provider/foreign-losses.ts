import type { ChatMessage, ChatRequest, Extensions, Loss } from '@gateway/interchange';

/** Members that only another format has a meaning for. */
export function findForeignLosses(request: ChatRequest): Loss[] {
  return [
    lossesOf('', request.extensions),
    ...request.messages.map((message, index) => findInMessage(message, `messages[${index}].`)),
    ...request.tools.map((tool, index) =>
      tool.kind === 'built-in' ? [] : lossesOf(`tools[${index}].`, tool.extensions),
    ),
  ].flat();
}

/** A part of another format is lost whole, and told by who renders parts. */
function findInMessage(message: ChatMessage, path: string): Loss[] {
  const inParts = message.parts.map((part, index) =>
    part.type === 'opaque' ? [] : lossesOf(`${path}parts[${index}].`, part.extensions),
  );
  return [lossesOf(path, message.extensions), ...inParts].flat();
}

function lossesOf(path: string, extensions: Extensions | undefined): Loss[] {
  return foreignMembers(extensions).map((member) => ({
    field: `${path}${member}`,
    reason: 'the format has no such member',
  }));
}

function foreignMembers(extensions: Extensions | undefined): string[] {
  return Object.entries(extensions ?? {})
    .filter(([format]) => format !== 'chat-completions')
    .flatMap(([, members]) => Object.keys(members));
}
