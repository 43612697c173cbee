import { Tabs } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { useRecallAlerts, useToolHealth, useToolSuggestions } from '../../api/tool-health.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Stacked } from '../../components/panel.tsx';
import { QueryView, EmptyState } from '../../components/states.tsx';
import { TimeRange } from '../../components/time-range.tsx';
import { changeParam } from '../../lib/addresses.ts';
import { AlertTable } from './alert-table.tsx';
import { SuggestionCard } from './suggestion-card.tsx';
import { HealthTable } from './health-table.tsx';
import classes from './tool-health.module.css';

const healthRanges = [7, 30, 90] as const;

export function ToolHealthPage() {
  const [params, setParams] = useSearchParams();
  const days = healthRanges.find((range) => String(range) === params.get('days')) ?? 30;
  return (
    <>
      <PageHeader
        title="Tool health"
        description="The quality of tool descriptions, how often tools are called, and which tools are confused with each other."
        actions={<TimeRange days={days} ranges={healthRanges} />}
      />
      <Tabs
        value={params.get('tab') ?? 'tools'}
        onChange={(tab) => setParams(changeParam(params, 'tab', tab === 'tools' ? null : tab))}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="tools">Tools</Tabs.Tab>
          <Tabs.Tab value="alerts">Recall alerts</Tabs.Tab>
          <Tabs.Tab value="suggestions">Suggestions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="tools">
          <Tools days={days} />
        </Tabs.Panel>
        <Tabs.Panel value="alerts">
          <Alerts days={days} />
        </Tabs.Panel>
        <Tabs.Panel value="suggestions">
          <Suggestions days={days} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function Tools({ days }: { readonly days: number }) {
  const query = useToolHealth(days);
  return (
    <div aria-busy={query.isFetching}>
      <QueryView
        query={query}
        lines={14}
        isEmpty={({ data }) => data.length === 0}
        empty={
          <EmptyState title="No tools in this period">
            Tools appear here after requests with more than eight tools, because only those are ranked.
          </EmptyState>
        }
      >
        {({ data, requests_considered }) => (
          <HealthTable tools={data} requestsConsidered={requests_considered} />
        )}
      </QueryView>
    </div>
  );
}

function Alerts({ days }: { readonly days: number }) {
  return (
    <QueryView
      query={useRecallAlerts(days)}
      lines={10}
      isEmpty={({ data }) => data.length === 0}
      empty={
        <EmptyState title="No missed tools">
          A recall alert names a tool that the model needed but that was pruned. There are none in this
          period.
        </EmptyState>
      }
    >
      {({ data, total }) => <AlertTable alerts={data} total={total} />}
    </QueryView>
  );
}

function Suggestions({ days }: { readonly days: number }) {
  return (
    <QueryView
      query={useToolSuggestions(days)}
      lines={10}
      isEmpty={({ data }) => data.length === 0}
      empty={
        <EmptyState title="No suggestions">
          A suggestion appears after at least three calls in which another tool ranked above the called tool.
        </EmptyState>
      }
    >
      {({ data }) => (
        <Stacked>
          <p className={classes.total}>Most evidence first.</p>
          {data.slice(0, 50).map((suggestion) => (
            <SuggestionCard key={`${suggestion.tool} ${suggestion.collides_with}`} suggestion={suggestion} />
          ))}
        </Stacked>
      )}
    </QueryView>
  );
}
