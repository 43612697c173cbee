import { Button, Group, MultiSelect, NumberInput, Select, Switch, TagsInput } from '@mantine/core';
import { useState } from 'react';
import {
  useModels,
  useRoutingPreferences,
  useUpdatePreferences,
  type ModelStatus,
  type RoutingPreferences,
} from '../../api/routing.ts';
import { notifyDone } from '../../lib/notices.ts';
import { Columns, Panel } from '../../components/panel.tsx';
import { QueryView, ErrorState } from '../../components/states.tsx';
import classes from './routing.module.css';

const modes = [
  { value: 'auto', label: 'auto: by task complexity' },
  { value: 'cheap', label: 'cheap: lowest expected cost' },
  { value: 'fast', label: 'fast: lowest expected latency' },
  { value: 'capable', label: 'capable: best quality and most tool calls served' },
];
const pruningModes = [
  { value: 'on', label: 'on: remove tools that are not needed' },
  { value: 'shadow', label: 'shadow: send all tools and only measure' },
  { value: 'off', label: 'off: send all tools' },
];
const compressionModes = [
  { value: 'off', label: 'off' },
  { value: 'lossless', label: 'lossless: remove no information' },
  { value: 'balanced', label: 'balanced: summarize old tool results' },
];
const exhaustedModes = [
  { value: 'pass', label: 'send the request unoptimized' },
  { value: 'reject', label: 'reject the request (HTTP 402)' },
];

export function PreferencesTab() {
  return (
    <QueryView query={useRoutingPreferences()} lines={12}>
      {(preferences) => <PreferencesForm key={JSON.stringify(preferences)} saved={preferences} />}
    </QueryView>
  );
}

interface PartProps {
  readonly draft: RoutingPreferences;
  readonly onChange: (change: Partial<RoutingPreferences>) => void;
}

function PreferencesForm({ saved }: { readonly saved: RoutingPreferences }) {
  const [draft, setDraft] = useState(saved);
  const update = useUpdatePreferences();
  const isChanged = JSON.stringify(draft) !== JSON.stringify(saved);
  const change = (part: Partial<RoutingPreferences>) => setDraft((before) => ({ ...before, ...part }));
  const save = () =>
    update.mutate(draft, {
      onSuccess: () => notifyDone('Preferences saved.', () => update.mutate(saved)),
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Columns>
        <ModelPart draft={draft} onChange={change} />
        <ToolPart draft={draft} onChange={change} />
        <CompressionPart draft={draft} onChange={change} />
        <CachingPart draft={draft} onChange={change} />
        <ResponsesPart draft={draft} onChange={change} />
        <FallbackPart draft={draft} onChange={change} />
      </Columns>
      {update.isError ? <ErrorState error={update.error} /> : null}
      <Group className={classes.save}>
        <Button type="submit" disabled={!isChanged} loading={update.isPending}>
          Save
        </Button>
        <Button variant="default" disabled={!isChanged} onClick={() => setDraft(saved)}>
          Discard changes
        </Button>
      </Group>
    </form>
  );
}

/** The names of all providers that have models or are already selected. */
function listProviders(models: readonly ModelStatus[], chosen: readonly string[] | null): string[] {
  return [...new Set([...models.map(({ provider }) => provider), ...(chosen ?? [])])].sort();
}

function ModelPart({ draft, onChange }: PartProps) {
  const { data } = useModels();
  const providers = listProviders(data?.data ?? [], draft.allowed_providers);
  return (
    <Panel
      title="Model choice"
      description="For requests with the model svc/auto. Requests that name a model use that model."
    >
      <div className={classes.fields}>
        <Select
          label="Mode of svc/auto"
          data={modes}
          value={draft.mode}
          allowDeselect={false}
          onChange={(value) => onChange({ mode: value as RoutingPreferences['mode'] })}
        />
        <MultiSelect
          label="Allowed providers"
          description="Blank = all connected providers."
          data={providers}
          value={draft.allowed_providers ?? []}
          onChange={(names) => onChange({ allowed_providers: names.length === 0 ? null : names })}
        />
        <NumberInput
          label="Max price per million tokens, USD"
          description="Blank = no limit."
          min={0}
          max={1_000_000}
          decimalScale={4}
          value={draft.max_cost_usd_per_mtok ?? ''}
          onChange={(value) => onChange({ max_cost_usd_per_mtok: typeof value === 'number' ? value : null })}
        />
      </div>
    </Panel>
  );
}

function ToolPart({ draft, onChange }: PartProps) {
  const { pruning } = draft;
  const changePruning = (part: Partial<RoutingPreferences['pruning']>) =>
    onChange({ pruning: { ...pruning, ...part } });
  return (
    <Panel
      title="Tool pruning"
      description="Removes tools that a request does not need. The recall target limits the risk of removing a needed tool."
    >
      <div className={classes.fields}>
        <Select
          label="Pruning"
          data={pruningModes}
          value={pruning.mode}
          allowDeselect={false}
          onChange={(value) => changePruning({ mode: value as RoutingPreferences['pruning']['mode'] })}
        />
        <NumberInput
          label="Recall target, %"
          description="Effective recall: the share of conversations in which every needed tool is sent or recovered."
          min={50}
          max={99.99}
          decimalScale={2}
          step={1}
          value={Number((pruning.recall_target * 100).toFixed(2))}
          onChange={(value) => {
            if (typeof value === 'number') changePruning({ recall_target: Number((value / 100).toFixed(6)) });
          }}
        />
        <Switch
          label="Recovery: the model can request pruned tools"
          checked={pruning.recovery}
          onChange={(event) => changePruning({ recovery: event.currentTarget.checked })}
        />
        <LearningSwitch isOn={pruning.learning} onChange={(learning) => changePruning({ learning })} />
      </div>
    </Panel>
  );
}

interface LearningProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function LearningSwitch({ isOn, onChange }: LearningProps) {
  return (
    <Switch
      label="Learning: rank tools by what your own conversations needed"
      description="Used only where fewer tools then reach the target. See Calibration."
      checked={isOn}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

function CompressionPart({ draft, onChange }: PartProps) {
  const { compression } = draft;
  const changeCompression = (part: Partial<RoutingPreferences['compression']>) =>
    onChange({ compression: { ...compression, ...part } });
  return (
    <Panel title="Compression" description="Shortens tool definitions and long conversations.">
      <div className={classes.fields}>
        <Select
          label="Compression"
          data={compressionModes}
          value={compression.mode}
          allowDeselect={false}
          onChange={(value) =>
            changeCompression({ mode: value as RoutingPreferences['compression']['mode'] })
          }
        />
        <Switch
          label="Also compress requests without tools"
          checked={compression.apply_without_tools}
          onChange={(event) => changeCompression({ apply_without_tools: event.currentTarget.checked })}
        />
      </div>
    </Panel>
  );
}

function CachingPart({ draft, onChange }: PartProps) {
  return (
    <Panel
      title="Prompt caches"
      description="For requests that are translated to another provider’s format. Other requests keep their own cache settings."
    >
      <div className={classes.fields}>
        <Switch
          label="Use the provider’s prompt cache where it is expected to pay"
          checked={draft.caching.markers}
          onChange={(event) => onChange({ caching: { markers: event.currentTarget.checked } })}
        />
      </div>
    </Panel>
  );
}

function ResponsesPart({ draft, onChange }: PartProps) {
  return (
    <Panel
      title="Responses API"
      description="By default, requests to /v1/responses are not pruned or compressed. Tool lists always apply."
    >
      <div className={classes.fields}>
        <Switch
          label="Prune and compress requests to the Responses API"
          description="Requests that continue a stored response stay unchanged. Requests without store: false to a provider of the Responses API, such as OpenAI, also stay unchanged."
          checked={draft.responses.plan}
          onChange={(event) => onChange({ responses: { plan: event.currentTarget.checked } })}
        />
      </div>
    </Panel>
  );
}

function FallbackPart({ draft, onChange }: PartProps) {
  const { data } = useModels();
  return (
    <Panel title="Fallbacks and budgets">
      <div className={classes.fields}>
        <TagsInput
          label="Fallback models"
          description="Tried in this order when a provider fails before the first byte. Press Enter to add a model."
          data={data?.data.map(({ id }) => id) ?? []}
          limit={50}
          maxTags={16}
          value={draft.fallbacks}
          onChange={(fallbacks) => onChange({ fallbacks })}
        />
        <Select
          label="When a saved-token budget is used up"
          data={exhaustedModes}
          value={draft.on_budget_exhausted}
          allowDeselect={false}
          onChange={(value) =>
            onChange({ on_budget_exhausted: value as RoutingPreferences['on_budget_exhausted'] })
          }
        />
      </div>
    </Panel>
  );
}
