import type { ReactNode } from 'react';
import { useInsights, type RoutingInsights } from '../../api/routing.ts';
import { Foreign, Duration, Share } from '../../components/values.tsx';
import { Columns, Panel } from '../../components/panel.tsx';
import { QueryView } from '../../components/states.tsx';
import { formatNumberOf } from '../../lib/format.ts';
import classes from './routing.module.css';

/** The models with the best tool recall, the fastest models and the most used models. */
export function InsightsTab() {
  return (
    <QueryView query={useInsights()} lines={10}>
      {(insights) => <Insights insights={insights} />}
    </QueryView>
  );
}

function Insights({ insights }: { readonly insights: RoutingInsights }) {
  const { best_recall, fastest, most_used, samples_min } = insights;
  const few = `No model has ${formatNumberOf(samples_min, 'sample')} from the last 7 days yet.`;
  return (
    <Columns>
      <Ranking
        title="Most tool calls served"
        description="Of the requests with pruned tools in which the model called or requested a tool: the share in which every such tool was sent or recovered. This is not recall: models seldom request tools that they cannot see. Overview and Calibration show recall."
        empty={few}
        rows={best_recall.map((row) => ({
          ...row,
          value: <Share value={row.tool_recall} />,
          detail: formatNumberOf(row.samples, 'request'),
        }))}
      />
      <Ranking
        title="Fastest"
        description="By median time to the first token of streamed requests."
        empty={few}
        rows={fastest.map((row) => ({
          ...row,
          value: <Duration value={row.first_token_p50_ms} />,
          detail: formatNumberOf(row.samples, 'request'),
        }))}
      />
      <Ranking
        title="Most used"
        description="Share of all requests that reached a model."
        empty="No request reached a model in the last 7 days."
        rows={most_used.map((row) => ({
          ...row,
          value: <Share value={row.share} />,
          detail: formatNumberOf(row.requests, 'request'),
        }))}
      />
    </Columns>
  );
}

interface RankingProps {
  readonly title: string;
  readonly description: string;
  readonly empty: string;
  readonly rows: readonly {
    readonly provider: string;
    readonly model_id: string;
    readonly value: ReactNode;
    readonly detail: string;
  }[];
}

function Ranking({ title, description, empty, rows }: RankingProps) {
  return (
    <Panel title={title} description={description}>
      {rows.length === 0 ? (
        <p className={classes.total}>{empty}</p>
      ) : (
        <ol className={classes.ranking}>
          {rows.map(({ provider, model_id, value, detail }) => (
            <li key={`${provider}/${model_id}`}>
              <Foreign>{`${provider}/${model_id}`}</Foreign>: <strong>{value}</strong>
              <span className={classes.detail}>{detail}</span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
