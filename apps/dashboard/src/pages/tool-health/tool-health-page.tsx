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
        description="What each tool’s description is worth, how often it was called, and which tools are taken for each other."
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
          <EmptyState title="No tools were offered in this time">
            Tools show here once requests bring more than eight of them, so that they are ranked.
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
        <EmptyState title="No tool was missed">
          An alert names a tool that a model needed and that had been left out. There was none in this time.
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
        <EmptyState title="Nothing to suggest">
          Suggestions come from requests in which one tool stood before another that was called in its place,
          at least three times.
        </EmptyState>
      }
    >
      {({ data }) => (
        <Stacked>
          <p className={classes.total}>The one with the most evidence first.</p>
          {data.slice(0, 50).map((suggestion) => (
            <SuggestionCard key={`${suggestion.tool} ${suggestion.collides_with}`} suggestion={suggestion} />
          ))}
        </Stacked>
      )}
    </QueryView>
  );
}
