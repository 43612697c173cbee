import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import type { RequestEntry } from '../../api/requests.ts';
import { Panel } from '../../components/panel.tsx';
import { formatCompact, formatCount, formatTime } from '../../lib/format.ts';
import classes from './session-page.module.css';

// Screen readers skip the charts. The table of requests contains the same figures as the charts.
const unfocusable = { accessibilityLayer: false };
const common = {
  h: '100%',
  dataKey: 'at',
  withLegend: true,
  withXAxis: false,
  tooltipAnimationDuration: 0,
} as const;

const tokenSeries = [
  { name: 'From cache', color: 'teal.6' },
  { name: 'Other input', color: 'indigo.5' },
  { name: 'Output', color: 'orange.6' },
];
const toolSeries = [
  { name: 'Tools received', color: 'gray.5' },
  { name: 'Tools sent', color: 'indigo.5' },
];

interface SessionChartProps {
  readonly requests: readonly RequestEntry[];
}

/** Two charts that show the tokens (including cached tokens) and the size of the tool set per request. */
export default function SessionCharts({ requests }: SessionChartProps) {
  return (
    <div className={classes.charts}>
      <Panel title="Tokens" description="Per request, in order.">
        <div className={classes.chart} aria-hidden>
          <TokenChart requests={requests} />
        </div>
      </Panel>
      <Panel title="Tool set" description="Tools received from the client, and sent to the provider.">
        <div className={classes.chart} aria-hidden>
          <ToolChart requests={requests} />
        </div>
      </Panel>
    </div>
  );
}

const nameOf = ({ created_at }: RequestEntry, at: number) => `${at + 1}: ${formatTime(created_at)}`;

function TokenChart({ requests }: SessionChartProps) {
  const rows = requests.map((request, at) => ({
    at: nameOf(request, at),
    'From cache': request.cached_tokens ?? 0,
    'Other input': Math.max(0, (request.prompt_tokens ?? 0) - (request.cached_tokens ?? 0)),
    Output: request.completion_tokens ?? 0,
  }));
  return (
    <BarChart
      {...common}
      type="stacked"
      data={rows}
      series={tokenSeries}
      valueFormatter={formatCount}
      yAxisProps={{ tickFormatter: (value: number) => formatCompact(value) }}
      barChartProps={unfocusable}
    />
  );
}

function ToolChart({ requests }: SessionChartProps) {
  const rows = requests.map((request, at) => ({
    at: nameOf(request, at),
    'Tools received': request.tools_in,
    'Tools sent': request.tools_out,
  }));
  return (
    <LineChart
      {...common}
      data={rows}
      series={toolSeries}
      curveType="stepAfter"
      valueFormatter={formatCount}
      lineChartProps={unfocusable}
    />
  );
}
