import { BarChart, LineChart } from '@mantine/charts';
import type { RequestEntry } from '../../api/requests.ts';
import { Panel } from '../../components/panel.tsx';
import { formatCompact, formatCount } from '../../format/numbers.ts';
import { formatTime } from '../../format/times.ts';
import classes from './session.module.css';

// The table of requests below has the same figures for those who do not see the pictures.
const unfocusable = { accessibilityLayer: false };
const common = {
  h: '100%',
  dataKey: 'at',
  withLegend: true,
  withXAxis: false,
  tooltipAnimationDuration: 0,
} as const;

/** Two pictures along the session's requests: what was sent and how much of it the cache had, and the set of tools. */
export default function SessionCharts({ requests }: { readonly requests: readonly RequestEntry[] }) {
  const tokens = requests.map(({ created_at, prompt_tokens, cached_tokens, completion_tokens }, at) => ({
    at: `${at + 1}: ${formatTime(created_at)}`,
    'From cache': cached_tokens ?? 0,
    'Other input': Math.max(0, (prompt_tokens ?? 0) - (cached_tokens ?? 0)),
    Output: completion_tokens ?? 0,
  }));
  const tools = requests.map(({ created_at, tools_in, tools_out }, at) => ({
    at: `${at + 1}: ${formatTime(created_at)}`,
    'Tools in': tools_in,
    'Tools out': tools_out,
  }));
  return (
    <div className={classes.charts}>
      <Panel title="Tokens" description="Of each request, in their order.">
        <div className={classes.chart} aria-hidden>
          <BarChart
            {...common}
            type="stacked"
            data={tokens}
            series={[
              { name: 'From cache', color: 'teal.6' },
              { name: 'Other input', color: 'indigo.5' },
              { name: 'Output', color: 'orange.6' },
            ]}
            valueFormatter={formatCount}
            yAxisProps={{ tickFormatter: (value: number) => formatCompact(value) }}
            barChartProps={unfocusable}
          />
        </div>
      </Panel>
      <Panel title="Set of tools" description="As the client sent them, and as they were forwarded.">
        <div className={classes.chart} aria-hidden>
          <LineChart
            {...common}
            data={tools}
            series={[
              { name: 'Tools in', color: 'gray.5' },
              { name: 'Tools out', color: 'indigo.5' },
            ]}
            curveType="stepAfter"
            valueFormatter={formatCount}
            lineChartProps={unfocusable}
          />
        </div>
      </Panel>
    </div>
  );
}
