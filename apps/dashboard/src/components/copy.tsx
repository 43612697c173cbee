import { Alert, Button } from '@mantine/core';
import { Check, Copy, KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import classes from './copy.module.css';

const shownMs = 1_800;

/** The clipboard is there in secure contexts alone; elsewhere the text is selected and copied the old way. */
async function copyText(text: string): Promise<void> {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- absent where the page came over plain HTTP
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one way that there is without a secure context
  document.execCommand('copy');
  field.remove();
}

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for those who hear it: “Copy the key”. */
  readonly label?: string;
  readonly size?: 'compact-xs' | 'xs' | 'sm';
  readonly variant?: 'default' | 'filled' | 'subtle';
}

export function CopyButton({ text, label = 'Copy', size = 'xs', variant = 'default' }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <Button
      size={size}
      variant={variant}
      leftSection={isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      onClick={() => void copyText(text).then(() => setCopied(true))}
    >
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </Button>
  );
}

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

interface SecretOnceProps {
  readonly secret: string;
  /** What to do with it. */
  readonly children?: ReactNode;
}

/** A secret that nobody will show again: it can be copied now, or has to be replaced. */
export function SecretOnce({ secret, children }: SecretOnceProps) {
  return (
    <Alert
      color="green"
      variant="light"
      icon={<KeyRound size={20} aria-hidden />}
      title="Copy the key now: it is not shown again"
    >
      {children === undefined ? null : <div className={classes.words}>{children}</div>}
      <div className={classes.row}>
        <code className={classes.secret} data-testid="secret">
          {secret}
        </code>
        <CopyButton text={secret} label="Copy the key" variant="filled" />
      </div>
    </Alert>
  );
}
