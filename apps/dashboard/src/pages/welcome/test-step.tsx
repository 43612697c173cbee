import { Anchor, Autocomplete, Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, unwrap } from '../../api/client.ts';
import { ErrorState } from '../../components/states.tsx';
import { exampleQuestion, exampleTools } from '../../chat/example-tools.ts';
import type { TestResult } from './send-test-request.ts';
import { sendTestRequest } from './send-test-request.ts';
import { Step } from './step.tsx';
import classes from './welcome.module.css';
import { Foreign } from '../../components/values.tsx';
import { Figure, Figures } from '../../components/panel.tsx';
import { formatMs, formatTokens } from '../../lib/format.ts';

const routingStrings = ['svc/auto', 'svc/cheap', 'svc/fast', 'svc/capable'];

function useModelNames(): readonly string[] {
  const models = useQuery({
    queryKey: ['routing', 'model-names'],
    queryFn: async () => (await unwrap(api.GET('/v1/account/routing/models'))).data.map(({ id }) => id),
  });
  return models.data ?? [];
}

interface Sent {
  readonly model: string;
  readonly question: string;
}

export function TestStep({ secret }: { readonly secret: string | null }) {
  const [sent, setSent] = useState<Sent>({ model: 'sandbox/sandbox-1', question: exampleQuestion });
  const [result, setResult] = useState<TestResult | null>(null);
  const send = useMutation({
    mutationFn: (request: Sent) => sendTestRequest({ ...request, secret, onProgress: setResult }),
    onMutate: () => setResult(null),
  });
  return (
    <Step
      number={3}
      title="Send a test request"
      description={`Sends ${exampleTools.length} example tools, as an agent would. The model does not read tools that the gateway removes, and you do not pay for them.`}
      isDone={result?.isDone}
    >
      <TestForm sent={sent} onChange={setSent} isBusy={send.isPending} onSend={() => send.mutate(sent)} />
      {send.isError ? (
        <div className={classes.result}>
          <ErrorState error={send.error} onRetry={() => send.mutate(sent)} />
        </div>
      ) : null}
      {result === null ? null : <TestAnswer result={result} />}
    </Step>
  );
}

interface TestFormProps {
  readonly sent: Sent;
  readonly onChange: (sent: Sent) => void;
  readonly isBusy: boolean;
  readonly onSend: () => void;
}

function TestForm({ sent, onChange, isBusy, onSend }: TestFormProps) {
  const models = useModelNames();
  return (
    <form
      className={classes.inline}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <TextInput
        label="Question"
        required
        value={sent.question}
        onChange={(event) => onChange({ ...sent, question: event.currentTarget.value })}
      />
      <Autocomplete
        label="Model"
        required
        limit={50}
        data={[...models, ...routingStrings]}
        value={sent.model}
        onChange={(model) => onChange({ ...sent, model })}
      />
      <Button type="submit" loading={isBusy} leftSection={<Send size={16} aria-hidden />}>
        Send
      </Button>
    </form>
  );
}

/**
 * Number of saved tokens that the request log counts per pruned tool. The dashboard can use a constant, because
 * billing units are part of the public interface.
 */
const tokensPerTool = 100;

/** Shows the response as it arrives, and the effect of the plan on the request. */
function TestAnswer({ result }: { readonly result: TestResult }) {
  const { answer, requestId, isDone } = result;
  return (
    <div className={classes.result}>
      <p className={classes.answer} aria-live="polite" aria-busy={!isDone}>
        <Foreign>{answer.text}</Foreign>
        {answer.calls.map(({ id, name, argumentsJson }) => (
          <span key={id}>
            {answer.text === '' ? '' : '\n'}
            calls <strong>{name}</strong> <code>{argumentsJson}</code>
          </span>
        ))}
      </p>
      <PlanFigures result={result} />
      {isDone && requestId !== null ? (
        <p className={classes.row}>
          <Button component={Link} to={`/requests/${requestId}`} variant="light" size="xs">
            See why these tools were chosen
          </Button>
          <Anchor component={Link} to="/playground" size="sm">
            Try more in the playground
          </Anchor>
        </p>
      ) : null}
    </div>
  );
}

function PlanFigures({
  result: { toolsIn, toolsOut, routing, overheadMs },
}: {
  readonly result: TestResult;
}) {
  return (
    <Figures>
      <Figure label="Tools received">{toolsIn}</Figure>
      <Figure label="Tools sent" hint={routing === null ? 'all of them' : `chosen by ${routing} ranking`}>
        {toolsOut}
      </Figure>
      <Figure label="Billed as saved" hint={`billing estimate: ${tokensPerTool} tokens per pruned tool`}>
        {formatTokens((toolsIn - toolsOut) * tokensPerTool)}
      </Figure>
      <Figure label="Gateway overhead" hint="including planning">
        {formatMs(overheadMs)}
      </Figure>
    </Figures>
  );
}
