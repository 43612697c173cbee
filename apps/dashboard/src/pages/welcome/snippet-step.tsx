import { Tabs } from '@mantine/core';
import { CodeBlock } from '../../components/code-block.tsx';
import { renderSnippets } from './render-snippets.ts';
import { Step } from './step.tsx';

export function SnippetStep({ secret }: { readonly secret: string | null }) {
  const snippets = renderSnippets({
    baseUrl: window.location.origin,
    key: secret ?? 'sk-svc-…',
    model: 'sandbox/sandbox-1',
  });
  return (
    <Step
      number={4}
      title="Point your agent at the gateway"
      description="The SDK stays. Put the name of a connected provider before the model: openai/gpt-4o-mini, anthropic/claude-sonnet-4-5, or let the gateway choose with svc/auto."
    >
      <Tabs defaultValue={snippets[0]?.name ?? null} keepMounted={false}>
        <Tabs.List aria-label="SDK">
          {snippets.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ name, code }) => (
          <Tabs.Panel key={name} value={name} pt="sm">
            <CodeBlock code={code} label={`${name} snippet`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Step>
  );
}
