import type { RequestDetail } from '../../api/requests.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { FiguresTable, Panel, ScrollRegion } from '../../components/panel.tsx';
import { Foreign, Dollars, Tokens } from '../../components/values.tsx';
import { formatShare } from '../../lib/format.ts';
import classes from './request-page.module.css';

const decisions = {
  taken: 'Compressed with the account’s settings.',
  cleared: 'From this request on, old tool results are sent as summaries.',
  kept: 'The conversation started with other settings and keeps them, so that the prompt cache stays valid.',
} as const;

/** Lists each compression step for tool definitions and for the conversation, with its savings. */
export function CompressionPanel({ detail }: { readonly detail: RequestDetail }) {
  const { compression_steps: steps, compression } = detail;
  return (
    <Panel
      title="Compression"
      description={compression === null ? undefined : decisions[compression.decision]}
    >
      {steps.length === 0 ? <p className={classes.note}>Nothing was compressed.</p> : <Steps steps={steps} />}
      {compression === null ? null : <Worth compression={compression} />}
    </Panel>
  );
}

function Steps({ steps }: { readonly steps: RequestDetail['compression_steps'] }) {
  return (
    <ScrollRegion label="Compression steps">
      <FiguresTable>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
            <th scope="col">Saved</th>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ step, tokens_before: before, tokens_after: after }) => (
            <tr key={step}>
              <td>
                <Foreign>{step.replaceAll('_', ' ')}</Foreign>
              </td>
              <td>
                <Tokens value={before} />
              </td>
              <td>
                <Tokens value={after} />
              </td>
              <td>
                <Tokens value={before - after} />
                {before === 0 ? null : ` (${formatShare((before - after) / before)})`}
              </td>
            </tr>
          ))}
        </tbody>
      </FiguresTable>
    </ScrollRegion>
  );
}

type Compression = NonNullable<RequestDetail['compression']>;

function Worth({ compression }: { readonly compression: Compression }) {
  const { saved_usd, rewritten_usd, exact, omissions } = compression;
  return (
    <>
      <p className={classes.note}>
        Saved <Dollars value={saved_usd} />. Writing the changed text to the prompt cache again cost{' '}
        <Dollars value={rewritten_usd} />.
      </p>
      {exact === null ? null : (
        <p className={classes.note}>
          Exact count: from <Tokens value={exact.tokens_before} /> to <Tokens value={exact.tokens_after} />.
        </p>
      )}
      {omissions.map(({ marker, original }) => (
        <details key={marker} className={classes.omission}>
          <summary>
            Removed text: <code>{marker}</code>
          </summary>
          {original === null ? (
            <p className={classes.note}>
              The original text is no longer stored. Original text is kept for one day.
            </p>
          ) : (
            <CodeBlock label={`Original text of ${marker}`} code={original} linesMax={14} />
          )}
        </details>
      ))}
    </>
  );
}
