import { Alert, Button } from '@mantine/core';
import { Check, Copy, KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import classes from './copy.module.css';
import { ScrollRegion } from './panel.tsx';

const shownMs = 1_800;

/**
 * The clipboard API exists only in secure contexts. In insecure contexts, the text is selected and copied
 * with `execCommand`.
 */
async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- no other API copies text outside secure contexts
  document.execCommand('copy');
  field.remove();
}

interface CopyButtonProps {
  readonly text: string;
  /** The button's label for screen readers, such as “Copy the key”. */
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
  /** The code block's label for screen readers. */
  readonly label: string;
  /** Number of lines that are visible. A longer code block scrolls. */
  readonly linesMax?: number;
}

/** Code with a copy button. A long code block scrolls inside a frame that is reachable by keyboard. */
export function CodeBlock({ code, label, linesMax = 24 }: CodeBlockProps) {
  return (
    <div className={classes.frame}>
      <div className={classes.copy}>
        <CopyButton text={code} />
      </div>
      <ScrollRegion label={label} className={classes.code} style={{ maxHeight: `${linesMax * 1.5 + 2}em` }}>
        <code>{code}</code>
      </ScrollRegion>
    </div>
  );
}

interface SecretOnceProps {
  readonly secret: string;
  /** Instructions for the use of the secret. */
  readonly children?: ReactNode;
}

/** A secret that is shown only once. If the user loses the secret, a new secret must be created. */
export function SecretOnce({ secret, children }: SecretOnceProps) {
  return (
    <Alert
      color="green"
      variant="light"
      icon={<KeyRound size={20} aria-hidden />}
      title="Copy the key now. You cannot see it again."
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
