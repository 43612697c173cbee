import { Tabs } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useSearchParams } from 'react-router';
import { PageHeader } from '../../components/page-header.tsx';
import { LoadingState } from '../../components/states.tsx';
import { changeParam } from '../../lib/addresses.ts';
import { InsightsTab } from './insights-tab.tsx';
import { ModelsTab } from './models-tab.tsx';
import { PreferencesTab } from './preferences-tab.tsx';
import { TracesTab } from './traces-tab.tsx';

// The calibration tab is loaded separately, because its chart is the only large part of the page.
const CalibrationTab = lazy(() => import('./calibration-tab.tsx'));

const tabs = [
  { value: 'preferences', label: 'Preferences', Content: PreferencesTab },
  { value: 'models', label: 'Models', Content: ModelsTab },
  { value: 'insights', label: 'Insights', Content: InsightsTab },
  { value: 'calibration', label: 'Calibration', Content: CalibrationTab },
  { value: 'traces', label: 'Traces', Content: TracesTab },
] as const;

export function RoutingPage() {
  const [params, setParams] = useSearchParams();
  const wanted = params.get('tab');
  const tab = tabs.find(({ value }) => value === wanted)?.value ?? 'preferences';
  return (
    <>
      <PageHeader
        title="Routing"
        description="How the gateway chooses models and tools, and how well the choices worked."
      />
      <Tabs
        value={tab}
        onChange={(value) => setParams(changeParam(params, 'tab', value === 'preferences' ? null : value))}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ value, Content }) => (
          <Tabs.Panel key={value} value={value}>
            <Suspense fallback={<LoadingState lines={10} />}>
              <Content />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
