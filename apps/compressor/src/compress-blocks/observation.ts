/** How far from its end an assistant's turn is looked at. */
const tailLength = 2_000;

const fence = /```[^`]*```\s*$/;
const tagged = /<\/[A-Za-z_][\w-]*>\s*$/;

/**
 * Whether an assistant's turn ends in a command: a fenced block, or an element like `</command>`. Agents that speak no tool
 * calls act that way, and the user's turn that follows is what the command printed: an observation. That is how
 * observations that come as user turns are told from people's words.
 */
export function endsInCommand(assistantText: string): boolean {
  const tail = assistantText.slice(-tailLength).trimEnd();
  if (tail.endsWith('>')) return tagged.test(tail.slice(-80));
  return tail.endsWith('```') && (fence.test(tail) || tail.split('```').length > 2);
}
