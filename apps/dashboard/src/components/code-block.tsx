import { CopyButton } from './copy-button.tsx';
import classes from './code-block.module.css';

interface CodeBlockProps {
  readonly code: string;
  /** What it is, for those who hear it. */
  readonly label: string;
  /** Lines that show; what is longer scrolls. */
  readonly linesMax?: number;
}

/** Text to be copied. It scrolls in its own frame, which the keyboard reaches. */
export function CodeBlock({ code, label, linesMax = 24 }: CodeBlockProps) {
  return (
    <div className={classes.frame}>
      <div className={classes.copy}>
        <CopyButton text={code} />
      </div>
      <pre
        className={classes.code}
        style={{ maxHeight: `${linesMax * 1.5 + 2}em` }}
        // A region that scrolls has to be reachable by keyboard (WCAG 2.1.1).
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled with the arrow keys
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        <code>{code}</code>
      </pre>
    </div>
  );
}
