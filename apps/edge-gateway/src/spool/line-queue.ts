/** A line waiting to be written, and what it means for the request it belongs to. */
export interface PendingLine {
  readonly kind: 'accept' | 'carry' | 'end';
  readonly requestId: string;
  readonly text: string;
}

/** The lines of one write. Those who wait for it share one promise. */
export interface LineGroup {
  readonly lines: PendingLine[];
  chars: number;
  written: PromiseWithResolvers<undefined> | null;
}

export function createLineGroup(lines: PendingLine[] = []): LineGroup {
  return { lines, chars: lines.reduce((sum, line) => sum + line.text.length, 0), written: null };
}

export function joinLines(group: LineGroup): string {
  let text = '';
  for (const line of group.lines) text += line.text;
  return text;
}
