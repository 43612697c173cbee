import { Button } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import { Link } from 'react-router';
import type { RequestDetail } from '../../api/requests.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Columns, Panel, ScrollRegion } from '../../components/panel.tsx';
import { Time } from '../../components/values.tsx';
import { formatBytes } from '../../lib/format.ts';
import { layOutBody, parseBodyKind, splitPieces, type BodyKind, type KeptBody } from './lay-out-body.ts';
import classes from './content-panel.module.css';

type Content = RequestDetail['content'];

/** What was said, where the account lets it be kept. */
export function ContentPanel({ content }: { readonly content: Content }) {
  if (content === null)
    return (
      <Panel title="What was said">
        <p className={classes.note}>
          Nothing of it is kept. It is from when the account says so under{' '}
          <Link to="/account">What is kept</Link>.
        </p>
      </Panel>
    );
  const { request, answer, expires_at } = content;
  const description = (
    <>
      As it came and as it was answered, without credentials. Kept until <Time value={expires_at} />.
    </>
  );
  return (
    <Panel title="What was said" description={description}>
      <Columns>
        <Body name="request" title="Request" body={request} />
        {answer === null ? <NoAnswer /> : <Body name="answer" title="Answer" body={answer} />}
      </Columns>
    </Panel>
  );
}

function NoAnswer() {
  return (
    <div>
      <h3 className={classes.title}>Answer</h3>
      <p className={classes.note}>There was none: not a byte was sent.</p>
    </div>
  );
}

interface BodyProps {
  readonly name: string;
  readonly title: string;
  readonly body: KeptBody;
}

function Body({ name, title, body }: BodyProps) {
  const kind = useMemo(() => parseBodyKind(body), [body]);
  return (
    <div className={classes.body}>
      <header className={classes.header}>
        <h3 className={classes.title}>{title}</h3>
        <CopyButton text={body.text} label={`Copy the ${name}`} size="compact-xs" />
      </header>
      <p className={classes.note}>{describeBody(body, kind)}</p>
      {kind === 'binary' ? null : <BodyText name={name} text={body.text} kind={kind} />}
    </div>
  );
}

const kinds: Readonly<Record<BodyKind, string>> = {
  json: 'JSON, set in lines to be read; copied as it came',
  text: 'text, as it came',
  binary: 'not text: it is copied in base64',
};

function describeBody({ bytes, is_cut }: KeptBody, kind: BodyKind): string {
  return `${formatBytes(bytes)}; ${kinds[kind]}.${is_cut ? ' Cut: only the first 2 MiB are kept.' : ''}`;
}

/** Characters that are drawn at first, and on request: laying out more than is looked at would hold the page up. */
const firstChars = 65_536;
const charsMax = 4 * 1_048_576;

interface BodyTextProps {
  readonly name: string;
  readonly text: string;
  readonly kind: BodyKind;
}

function BodyText({ name, text, kind }: BodyTextProps) {
  const region = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const shown = useMemo(() => layOutBody(text, kind, isOpen ? charsMax : firstChars), [text, kind, isOpen]);
  const open = () => {
    setOpen(true);
    // The button goes, and the focus would go with it.
    region.current?.focus();
  };
  return (
    <>
      <ScrollRegion ref={region} label={`Body of the ${name}`} className={classes.text}>
        {splitPieces(shown.text).map((piece, at) => (
          // Pieces are never moved.
          <code key={at} className={classes.piece}>
            {piece}
          </code>
        ))}
      </ScrollRegion>
      {shown.isWhole ? null : <Rest isOpen={isOpen} name={name} onOpen={open} />}
    </>
  );
}

interface RestProps {
  readonly isOpen: boolean;
  readonly name: string;
  readonly onOpen: () => void;
}

function Rest({ isOpen, name, onOpen }: RestProps) {
  if (isOpen) return <p className={classes.note}>It goes on: copy it to read the rest.</p>;
  return (
    <Button size="xs" variant="default" className={classes.rest} onClick={onOpen}>
      Show the rest of the {name}
    </Button>
  );
}
