import { Button } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';

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
