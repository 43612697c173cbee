import { Button, Select, SegmentedControl, Switch, Textarea } from '@mantine/core';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { useModels, type ModelStatus } from '../../api/routing.ts';
import { Foreign } from '../../components/values.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryView, EmptyState } from '../../components/states.tsx';
import { formatNumberOf } from '../../lib/format.ts';
import type { ChatFormat } from '../../chat/conversation.ts';
import { renderExampleTools } from '../../chat/example-tools.ts';
import classes from './playground.module.css';

export interface Settings {
  readonly model: string;
  readonly format: ChatFormat;
  readonly toolsText: string;
  readonly stream: boolean;
  readonly isCompared: boolean;
}

interface SettingsPanelProps {
  readonly settings: Settings;
  readonly onChange: (change: Partial<Settings>) => void;
  readonly toolsCount: number;
  /** The problem with the pasted tools, or null. */
  readonly problem: string | null;
}

export function SettingsPanel(props: SettingsPanelProps) {
  const { settings, onChange } = props;
  return (
    <Panel title="Request">
      <div className={classes.fields}>
        <ModelField value={settings.model} onChange={(model) => onChange({ model })} />
        <FormatField value={settings.format} onChange={(format) => onChange({ format })} />
        <ToolsField {...props} />
        <Switch
          label="Stream the response"
          checked={settings.stream}
          onChange={(event) => onChange({ stream: event.currentTarget.checked })}
        />
        <Switch
          label="Compare with all tools"
          description="Sends each message twice: once with pruning, once with all tools (up to 512)."
          checked={settings.isCompared}
          onChange={(event) => onChange({ isCompared: event.currentTarget.checked })}
        />
      </div>
    </Panel>
  );
}

function ToolsField({ settings, onChange, toolsCount, problem }: SettingsPanelProps) {
  return (
    <>
      <Textarea
        label="Tools (JSON)"
        description="In any of the three formats above, or as listed by an MCP server."
        placeholder="[ … ]"
        minRows={5}
        maxRows={14}
        autosize
        spellCheck={false}
        value={settings.toolsText}
        error={problem}
        onChange={(event) => onChange({ toolsText: event.currentTarget.value })}
        classNames={{ input: classes.code }}
      />
      <div className={classes.toolsFoot}>
        <span role="status">{formatNumberOf(toolsCount, 'tool')}</span>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => onChange({ toolsText: renderExampleTools() })}
        >
          Use 40 example tools
        </Button>
      </div>
    </>
  );
}

const strings = ['svc/auto', 'svc/cheap', 'svc/fast', 'svc/capable'];

interface ModelFieldProps {
  readonly value: string;
  readonly onChange: (model: string) => void;
}

function ModelField(props: ModelFieldProps) {
  return (
    <QueryView
      query={useModels()}
      lines={2}
      isEmpty={({ data }) => data.length === 0}
      empty={
        <EmptyState title="No models available">
          Connect a provider on the <Link to="/providers">Providers</Link> page.
        </EmptyState>
      }
    >
      {({ data }) => <ModelSelect models={data} {...props} />}
    </QueryView>
  );
}

function ModelSelect({
  models,
  value,
  onChange,
}: ModelFieldProps & { readonly models: readonly ModelStatus[] }) {
  const first = models.find(({ requests }) => (requests ?? 0) > 0) ?? models[0];
  useEffect(() => {
    if (value === '' && first !== undefined) onChange(first.id);
  }, [value, first, onChange]);
  return (
    <Select
      label="Model"
      searchable
      limit={100}
      allowDeselect={false}
      renderOption={({ option }) => <Foreign>{option.label}</Foreign>}
      data={[
        { group: 'Chosen by the gateway', items: strings },
        { group: 'Models', items: models.map(({ id }) => id) },
      ]}
      value={value}
      onChange={(model) => onChange(model ?? '')}
    />
  );
}

const formats: { value: ChatFormat; label: string }[] = [
  { value: 'chat-completions', label: 'Chat completions' },
  { value: 'messages', label: 'Messages' },
  { value: 'converse', label: 'Converse' },
];

function FormatField({
  value,
  onChange,
}: {
  readonly value: ChatFormat;
  readonly onChange: (format: ChatFormat) => void;
}) {
  return (
    <div>
      <p className={classes.label} id="format-label">
        Format
      </p>
      <SegmentedControl
        aria-labelledby="format-label"
        fullWidth
        size="xs"
        data={formats}
        value={value}
        onChange={(format) => onChange(format)}
      />
    </div>
  );
}
