import '@mantine/charts/styles.css';
import { AreaChart, BarChart, LineChart } from '@mantine/charts';
import type { ReactNode } from 'react';
import type { AnalyticsDay, AnalyticsHour } from '../../api/usage.ts';
import { FiguresTable, Panel } from '../../components/panel.tsx';
import { formatCompact, formatCount, formatMs, formatUsd } from '../../lib/format.ts';
import classes from './overview.module.css';

/** A step of the charts, a day or an hour, with its label. */
export type ChartPart = Omit<AnalyticsHour | AnalyticsDay, 'object' | 'date' | 'hour' | 'models'> & {
  readonly label: string;
};

interface Series {
  readonly name: string;
  readonly color: string;
  readonly read: (part: ChartPart) => number | null;
}

type Draw = (rows: Record<string, string | number | null>[], series: readonly Series[]) => ReactNode;

interface ChartPanelProps {
  readonly title: string;
  readonly description: string;
  readonly parts: readonly ChartPart[];
  readonly series: readonly Series[];
  readonly format: (value: number | null) => string;
  readonly draw: Draw;
}

const requestSeries: readonly Series[] = [
  {
    name: 'Successful',
    color: 'indigo.5',
    read: ({ requests, errors }) => (requests === null || errors === null ? null : requests - errors),
  },
  { name: 'Errors', color: 'red.6', read: ({ errors }) => errors },
];
const timeSeries: readonly Series[] = [
  { name: 'First byte, median (p50)', color: 'teal.6', read: (day) => day.first_byte_p50_ms },
  { name: 'Total, median (p50)', color: 'indigo.5', read: (day) => day.total_p50_ms },
  { name: 'Total, 95th percentile', color: 'orange.6', read: (day) => day.total_p95_ms },
];
const toolSeries: readonly Series[] = [
  { name: 'Tools received', color: 'gray.5', read: ({ tools_in }) => tools_in },
  { name: 'Tools sent', color: 'indigo.5', read: ({ tools_out }) => tools_out },
];
const savingSeries: readonly Series[] = [
  { name: 'Gross savings', color: 'gray.5', read: (day) => day.gross_savings_usd },
  { name: 'Net savings', color: 'teal.6', read: (day) => day.provider_savings_usd },
];

const tickFormat = (format: (value: number) => string) => ({
  tickFormatter: (value: number) => format(value),
});
const common = { h: '100%', dataKey: 'label', withLegend: true, tooltipAnimationDuration: 0 } as const;
// Screen readers skip the charts and read the tables of figures instead.
// No element of a chart can receive the focus, because screen readers skip the charts.
const unfocusable = { accessibilityLayer: false };
const toSeries = (series: readonly Series[]) => series.map(({ name, color }) => ({ name, color }));

const drawRequests: Draw = (rows, series) => (
  <BarChart {...common} barChartProps={unfocusable} type="stacked" data={rows} series={toSeries(series)} />
);
const drawLatency: Draw = (rows, series) => (
  <LineChart
    {...common}
    lineChartProps={unfocusable}
    data={rows}
    series={toSeries(series)}
    yAxisProps={tickFormat(formatMs)}
    valueFormatter={formatMs}
    curveType="linear"
  />
);
const drawTools: Draw = (rows, series) => (
  <AreaChart
    {...common}
    areaChartProps={unfocusable}
    data={rows}
    series={toSeries(series)}
    yAxisProps={tickFormat(formatCompact)}
    valueFormatter={formatCount}
    curveType="linear"
  />
);
const drawSavings: Draw = (rows, series) => (
  <BarChart
    {...common}
    barChartProps={unfocusable}
    data={rows}
    series={toSeries(series)}
    yAxisProps={{ ...tickFormat(formatUsd), width: 70 }}
    valueFormatter={formatUsd}
  />
);

const charts = [
  {
    title: 'Requests',
    description: 'With errors.',
    series: requestSeries,
    format: formatCount,
    draw: drawRequests,
  },
  {
    title: 'Latency',
    description: 'Successful requests only.',
    series: timeSeries,
    format: formatMs,
    draw: drawLatency,
  },
  {
    title: 'Tools',
    description: 'Received from clients, and sent to providers after pruning.',
    series: toolSeries,
    format: formatCount,
    draw: drawTools,
  },
  {
    title: 'Savings',
    description: 'In US dollars. Gross: before the costs of pruning and compression. Net: after them.',
    series: savingSeries,
    format: formatUsd,
    draw: drawSavings,
  },
];

interface OverviewChartsProps {
  readonly parts: readonly ChartPart[];
  /** Whether the amounts are at notional prices. */
  readonly isNotional: boolean;
}

/** Four charts of figures per day or hour. A table with the chart's figures follows each chart. */
export default function OverviewCharts({ parts, isNotional }: OverviewChartsProps) {
  const prices = isNotional ? ' At notional prices.' : '';
  return (
    <div className={classes.charts}>
      {charts.map((chart) => (
        <ChartPanel
          key={chart.title}
          parts={parts}
          {...chart}
          description={chart.format === formatUsd ? chart.description + prices : chart.description}
        />
      ))}
    </div>
  );
}

function ChartPanel({ title, description, parts, series, format, draw }: ChartPanelProps) {
  const rows = parts.map((part) => ({
    label: part.label,
    ...Object.fromEntries(series.map(({ name, read }) => [name, read(part)])),
  }));
  return (
    <Panel title={title} description={description}>
      <div className={classes.chart} aria-hidden>
        {draw(rows, series)}
      </div>
      <details className={classes.data}>
        <summary>{title} as a table</summary>
        <div className={classes.tableFrame}>
          <FigureTable parts={parts} series={series} format={format} />
        </div>
      </details>
    </Panel>
  );
}

function FigureTable({ parts, series, format }: Pick<ChartPanelProps, 'parts' | 'series' | 'format'>) {
  return (
    <FiguresTable>
      <thead>
        <tr>
          <th scope="col">Time (UTC)</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {parts.map((part) => (
          <tr key={part.label}>
            <td>{part.label}</td>
            {series.map(({ name, read }) => (
              <td key={name}>{format(read(part))}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </FiguresTable>
  );
}
