import { ChevronLeft } from 'lucide-react';
import { Link, useSearchParams } from 'react-router';
import {
  useRecallAlerts,
  useToolHealth,
  useToolSuggestions,
  type ToolHealth,
} from '../../api/tool-health.ts';
import { Foreign, Count, Share, Time } from '../../components/values.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Figure, Figures, Panel, Stacked } from '../../components/panel.tsx';
import { QueryView, EmptyState } from '../../components/states.tsx';
import { AlertTable } from './alert-table.tsx';
import { SuggestionCard } from './suggestion-card.tsx';
import { Collisions } from './collisions.tsx';
import { IssuesPanel } from './issues-panel.tsx';
import classes from './tool-page.module.css';

/** The period in days that the figures on the page cover. */
const days = 90;

/** A page with all statistics about one tool. */
export function ToolPage() {
  const [params] = useSearchParams();
  const name = params.get('name') ?? '';
  const query = useToolHealth(days);
  return (
    <>
      <Link to="/tool-health" className={classes.back}>
        <ChevronLeft size={16} aria-hidden /> All tools
      </Link>
      <PageHeader
        key={name}
        title="Tool"
        description={
          <code>
            <Foreign>{name}</Foreign>
          </code>
        }
      />
      <QueryView
        query={query}
        lines={14}
        isEmpty={({ data }) => !data.some((tool) => tool.name === name)}
        empty={
          <EmptyState title="No data for this tool">
            No ranked request of the last {days} days offered a tool with this name.
          </EmptyState>
        }
      >
        {({ data }) => <Content name={name} tools={data} />}
      </QueryView>
    </>
  );
}

function Content({ name, tools }: { readonly name: string; readonly tools: readonly ToolHealth[] }) {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return null;
  return (
    <Stacked>
      <ToolFigures tool={tool} />
      <IssuesPanel tool={tool} />
      <Collisions tool={tool} tools={tools} />
      <Suggestions name={name} />
      <Alerts name={name} />
    </Stacked>
  );
}

function ToolFigures({ tool: { description_score, stats, last_seen_at } }: { readonly tool: ToolHealth }) {
  const { mean_rank_when_called: rank } = stats;
  return (
    <Figures>
      <Figure label="Description" hint="score out of 100">
        {description_score ?? 'not scored yet'}
      </Figure>
      <Figure
        label="Offered"
        hint={
          <>
            last seen <Time value={last_seen_at} isRelative />
          </>
        }
      >
        <Count value={stats.offered} />
      </Figure>
      <Figure label="Forwarded" hint="requests that sent it to the provider">
        <Count value={stats.forwarded} />
      </Figure>
      <Figure
        label="Called"
        hint={
          <>
            call-through <Share value={stats.call_through_rate} />
          </>
        }
      >
        <Count value={stats.called} />
      </Figure>
      <CallsNotForwarded stats={stats} />
      <Figure label="Rank when called" hint="1 is the best">
        {rank === null ? 'never called' : Number(rank.toFixed(1))}
      </Figure>
    </Figures>
  );
}

function CallsNotForwarded({ stats }: Pick<ToolHealth, 'stats'>) {
  return (
    <>
      <Figure label="Missed" hint="needed but pruned">
        <Count value={stats.called_when_pruned} />
      </Figure>
      <Figure label="Not permitted" hint="called against the key's tool lists">
        <Count value={stats.called_when_denied} />
      </Figure>
    </>
  );
}

function Suggestions({ name }: { readonly name: string }) {
  const query = useToolSuggestions(days);
  const own =
    query.data?.data.filter(({ tool, collides_with }) => tool === name || collides_with === name) ?? [];
  return (
    <QueryView
      query={query}
      lines={4}
      isEmpty={() => own.length === 0}
      empty={
        <Panel title="Suggestions">
          <p className={classes.none}>None. No other tool was confused with this tool often enough.</p>
        </Panel>
      }
    >
      {() =>
        own.map((suggestion) => (
          <SuggestionCard key={`${suggestion.tool} ${suggestion.collides_with}`} suggestion={suggestion} />
        ))
      }
    </QueryView>
  );
}

function Alerts({ name }: { readonly name: string }) {
  const query = useRecallAlerts(days);
  const own = query.data?.data.filter(({ tool }) => tool === name) ?? [];
  return (
    <Panel
      title="Recall alerts"
      description="Requests that needed the tool but did not receive it, among the newest 500 alerts."
    >
      <QueryView
        query={query}
        lines={4}
        isEmpty={() => own.length === 0}
        empty={<p className={classes.none}>None.</p>}
      >
        {() => <AlertTable alerts={own} total={own.length} />}
      </QueryView>
    </Panel>
  );
}
