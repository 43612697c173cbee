/** The kinds of findings that need a review after a catalogue update. */
export type Finding =
  | 'excluded'
  | 'missing-price'
  | 'zero-price'
  | 'missing-field'
  | 'no-quality'
  | 'no-retirement'
  | 'unknown-field'
  | 'not-carried'
  | 'conflict'
  | 'implausible'
  | 'assumed'
  | 'unreadable'
  | 'no-source';

/** Collects findings in the order in which they are reported. */
export class UpdateReport {
  private readonly lines = new Map<Finding, string[]>();

  add(finding: Finding, subject: string, what: string): void {
    const lines = this.lines.get(finding) ?? [];
    lines.push(`${subject}: ${what}`);
    this.lines.set(finding, lines);
  }

  /** Returns the findings of one kind, as `<model>: <finding>`. */
  list(finding: Finding): readonly string[] {
    return this.lines.get(finding) ?? [];
  }

  counts(): Record<string, number> {
    return Object.fromEntries([...this.lines].map(([finding, lines]) => [finding, lines.length]));
  }

  render(): string {
    return [...this.lines]
      .map(([finding, lines]) => [`${finding} (${String(lines.length)})`, ...lines].join('\n  '))
      .join('\n\n');
  }
}
