import { Link } from 'react-router';
import type { ToolSuggestion } from '../../api/tool-health.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { Foreign } from '../../components/values.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatNumberOf, formatShare } from '../../lib/format.ts';
import { toolAddress } from '../../lib/addresses.ts';
import classes from './tool-health.module.css';

/** Two tools that are often confused, with the evidence and a better description to copy. */
export function SuggestionCard({ suggestion }: { readonly suggestion: ToolSuggestion }) {
  const { tool, collides_with, suggested_description, suggested_examples: examples } = suggestion;
  return (
    <Panel
      title={
        <>
          <ToolLink name={tool} /> is confused with <ToolLink name={collides_with} />
        </>
      }
    >
      <Evidence suggestion={suggestion} />
      {suggested_description === null ? (
        <p className={classes.evidence}>
          Their names and parameters are too similar for a suggestion. Explain in both descriptions when to
          use which tool.
        </p>
      ) : (
        <>
          <p className={classes.label}>Suggested description</p>
          <CodeBlock label="Suggested description" code={suggested_description} linesMax={8} />
        </>
      )}
      {examples.length === 0 ? null : (
        <>
          <p className={classes.label}>Examples to add to the definition</p>
          <CodeBlock
            label="Suggested examples"
            code={JSON.stringify({ 'x-svc-examples': examples }, null, 2)}
            linesMax={10}
          />
        </>
      )}
    </Panel>
  );
}

function ToolLink({ name }: { readonly name: string }) {
  return (
    <Link to={toolAddress(name)}>
      <Foreign>{name}</Foreign>
    </Link>
  );
}

function Evidence({
  suggestion: { evidence, expected_gain: gain },
}: {
  readonly suggestion: ToolSuggestion;
}) {
  const { calls, ranked_below, left_out, intents, similarity } = evidence;
  return (
    <p className={classes.evidence}>
      Of {formatNumberOf(calls, 'call')} to it, the other tool ranked higher in {ranked_below}, and it was
      pruned in {left_out}
      {similarity === null ? '' : `. The definitions are ${formatShare(similarity, 0)} similar`}
      {intents.length === 0 ? '' : `. Intents: ${intents.join(', ')}`}. With distinct descriptions, its mean
      rank would improve from {Number(gain.mean_rank_before.toFixed(1))} to{' '}
      {Number(gain.mean_rank_after.toFixed(1))}
      {gain.recalled === 0
        ? ''
        : `, and ${formatNumberOf(gain.recalled, 'decision')} would not have pruned it`}{' '}
      (at most, estimated from {formatNumberOf(gain.decisions, 'recorded decision')}).
    </p>
  );
}
