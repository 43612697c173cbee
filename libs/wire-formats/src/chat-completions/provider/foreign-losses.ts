import type { ChatRequest, Extensions, Loss } from '@gateway/interchange';

/** Members that only another format has a meaning for. */
export function findForeignLosses(request: ChatRequest): Loss[] {
  const losses = foreignMembers(request.extensions).map((member) => lossOf(member));
  request.messages.forEach((message, index) => {
    const inMessage = foreignMembers(message.extensions).map((member) =>
      lossOf(`messages[${index}].${member}`),
    );
    const inParts = message.parts.flatMap((part, position) =>
      part.type === 'opaque'
        ? []
        : foreignMembers(part.extensions).map((member) =>
            lossOf(`messages[${index}].parts[${position}].${member}`),
          ),
    );
    losses.push(...inMessage, ...inParts);
  });
  request.tools.forEach((tool, index) => {
    if (tool.kind === 'built-in') return;
    losses.push(...foreignMembers(tool.extensions).map((member) => lossOf(`tools[${index}].${member}`)));
  });
  return losses;
}

function foreignMembers(extensions: Extensions | undefined): string[] {
  return Object.entries(extensions ?? {})
    .filter(([format]) => format !== 'chat-completions')
    .flatMap(([, members]) => Object.keys(members));
}

function lossOf(field: string): Loss {
  return { field, reason: 'the format has no such member' };
}
