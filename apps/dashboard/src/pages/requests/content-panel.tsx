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

/** Shows the request and response bodies, if content logging is on. */
export function ContentPanel({ content }: { readonly content: Content }) {
  if (content === null)
    return (
      <Panel title="Request and response">
        <p className={classes.note}>
          Content logging is off. Turn it on in <Link to="/account">Account</Link>.
        </p>
      </Panel>
    );
  const { request, answer, expires_at } = content;
  const description = (
    <>
      Both bodies without credentials. Stored until <Time value={expires_at} />.
    </>
  );
  return (
    <Panel title="Request and response" description={description}>
      <Columns>
        <Body name="request" title="Request" body={request} />
        {answer === null ? <NoResponse /> : <Body name="response" title="Response" body={answer} />}
      </Columns>
    </Panel>
  );
}

function NoResponse() {
  return (
    <div>
      <h3 className={classes.title}>Response</h3>
      <p className={classes.note}>The client received no response.</p>
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
  json: 'JSON, formatted for reading; the copy is unchanged',
  text: 'text, unchanged',
  binary: 'binary; the copy is base64',
};

function describeBody({ bytes, is_cut }: KeptBody, kind: BodyKind): string {
  return `${formatBytes(bytes)}; ${kinds[kind]}.${is_cut ? ' Cut: only the first 2 MiB are stored.' : ''}`;
}

/**
 * Number of characters that are shown at first, and the maximum number that is shown after a click. Rendering
 * more characters would block the page.
 */
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
    // The focus must move to another element, because the button disappears.
    region.current?.focus();
  };
  return (
    <>
      <ScrollRegion ref={region} label={`Body of the ${name}`} className={classes.text}>
        {splitPieces(shown.text).map((piece, at) => (
          // The index of a piece is a stable key, because the order of the pieces never changes.
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
  if (isOpen) return <p className={classes.note}>The text continues. Copy the text to read the rest.</p>;
  return (
    <Button size="xs" variant="default" className={classes.rest} onClick={onOpen}>
      Show the rest of the {name}
    </Button>
  );
}
