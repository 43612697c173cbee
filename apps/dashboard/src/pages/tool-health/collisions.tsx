import { Link } from 'react-router';
import type { ToolHealth } from '../../api/tool-health.ts';
import { Count, Foreign, Share } from '../../components/values.tsx';
import { Panel } from '../../components/panel.tsx';
import classes from './tool-page.module.css';
import { formatShare } from '../../lib/format.ts';
import { toolAddress } from '../../lib/addresses.ts';

interface CollisionsProps {
  readonly tool: ToolHealth;
  readonly tools: readonly ToolHealth[];
}

/** Compares the tool with each tool that is similar to it. */
export function Collisions({ tool, tools }: CollisionsProps) {
  if (tool.near_duplicates.length === 0) return null;
  return (
    <Panel
      title="Similar tools"
      description="Tools offered together with this tool that have a similar purpose, most similar first."
    >
      {tool.near_duplicates.map(({ name, similarity }) => (
        <div key={name}>
          <p className={classes.alike}>{formatShare(similarity, 0)} similar</p>
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
      {tool === undefined ? <p className={classes.none}>Not offered recently.</p> : <SideFacts tool={tool} />}
    </div>
  );
}

function SideFacts({ tool: { description_score, issues, stats } }: { readonly tool: ToolHealth }) {
  const rank = stats.mean_rank_when_called;
  return (
    <dl className={classes.facts}>
      <dt>Description score (of 100)</dt>
      <dd>{description_score ?? 'not scored yet'}</dd>
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
