import { Link } from 'react-router';
import type { ToolHealth } from '../../api/tool-health.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Count, Foreign, Share } from '../../components/values.tsx';
import { Panel } from '../../components/panel.tsx';
import classes from './tool-page.module.css';
import { formatShare } from '../../lib/format.ts';
import { toolAddress } from '../../lib/addresses.ts';

/** Where the description lost its points, and what to do about it. */
export function IssuesPanel({ tool }: { readonly tool: ToolHealth }) {
  const { issues, suggestions, description_score } = tool;
  return (
    <Panel
      title="Description"
      description={
        description_score === null ? 'It is read with the next request that offers the tool.' : undefined
      }
      actions={
        suggestions.length === 0 ? undefined : (
          <CopyButton text={suggestions.join('\n')} label="Copy the advice" />
        )
      }
    >
      {issues.length === 0 ? (
        <p className={classes.none}>No issues were found.</p>
      ) : (
        <ul className={classes.issues}>
          {issues.map(({ code, points, text }) => (
            <li key={code} className={classes.issue}>
              <span className={classes.points}>−{points} points</span>
              <Foreign>{text}</Foreign>
            </li>
          ))}
        </ul>
      )}
      {suggestions.length === 0 ? null : (
        <ul className={classes.advice}>
          {suggestions.map((suggestion) => (
            <li key={suggestion}>
              <Foreign>{suggestion}</Foreign>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

interface CollisionsProps {
  readonly tool: ToolHealth;
  readonly tools: readonly ToolHealth[];
}

/** The tool beside each of those that it is hard to tell from. */
export function Collisions({ tool, tools }: CollisionsProps) {
  if (tool.near_duplicates.length === 0) return null;
  return (
    <Panel
      title="Hard to tell from"
      description="Tools that were offered together with it and do much the same, the nearest first."
    >
      {tool.near_duplicates.map(({ name, similarity }) => (
        <div key={name}>
          <p className={classes.alike}>{formatShare(similarity, 0)} alike</p>
          <div className={classes.sides}>
            <Side name={tool.name} tool={tool} />
            <Side name={name} tool={tools.find((each) => each.name === name)} />
          </div>
        </div>
      ))}
    </Panel>
  );
}

function Side({ name, tool }: { readonly name: string; readonly tool: ToolHealth | undefined }) {
  return (
    <div className={classes.side}>
      <p className={classes.sideName}>
        <Link to={toolAddress(name)}>
          <Foreign>{name}</Foreign>
        </Link>
      </p>
      {tool === undefined ? (
        <p className={classes.none}>It was not offered lately.</p>
      ) : (
        <SideFacts tool={tool} />
      )}
    </div>
  );
}

function SideFacts({ tool: { description_score, issues, stats } }: { readonly tool: ToolHealth }) {
  const rank = stats.mean_rank_when_called;
  return (
    <dl className={classes.facts}>
      <dt>Description, of 100</dt>
      <dd>{description_score ?? 'not read yet'}</dd>
      <dt>Issues</dt>
      <dd>{issues.length}</dd>
      <dt>Offered</dt>
      <dd>
        <Count value={stats.offered} />
      </dd>
      <dt>Called</dt>
      <dd>
        <Count value={stats.called} />
      </dd>
      <dt>Call-through</dt>
      <dd>
        <Share value={stats.call_through_rate} />
      </dd>
      <dt>Rank when called</dt>
      <dd>{rank === null ? 'never called' : Number(rank.toFixed(1))}</dd>
    </dl>
  );
}
