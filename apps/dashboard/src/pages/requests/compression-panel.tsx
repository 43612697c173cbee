import type { RequestDetail } from '../../api/requests.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { FiguresTable, Panel, ScrollRegion } from '../../components/panel.tsx';
import { Foreign, Dollars, Tokens } from '../../components/values.tsx';
import { formatShare } from '../../lib/format.ts';
import classes from './request-page.module.css';

const decisions = {
  taken: 'Compressed under the account’s settings.',
  cleared: 'With this request, old results went out as summaries.',
  kept: 'The session began under other settings and goes on under them, so that the prompt cache holds.',
} as const;

/** Each step of compression, of tool definitions and of the conversation, and what it was worth. */
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
    <ScrollRegion label="Steps of compression">
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
        Worth <Dollars value={saved_usd} />; written to the prompt cache once more for it:{' '}
        <Dollars value={rewritten_usd} />.
      </p>
      {exact === null ? null : (
        <p className={classes.note}>
          Counted exactly: <Tokens value={exact.tokens_before} /> became <Tokens value={exact.tokens_after} />
          .
        </p>
      )}
      {omissions.map(({ marker, original }) => (
        <details key={marker} className={classes.omission}>
          <summary>
            Left out: <code>{marker}</code>
          </summary>
          {original === null ? (
            <p className={classes.note}>What stood there is not kept any more: it is for a day.</p>
          ) : (
            <CodeBlock label={`What stood at ${marker}`} code={original} linesMax={14} />
          )}
        </details>
      ))}
    </>
  );
}
