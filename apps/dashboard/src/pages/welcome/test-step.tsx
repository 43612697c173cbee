import { Autocomplete, Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { ErrorState } from '../../components/states.tsx';
import { exampleQuestion, exampleTools } from './example-tools.ts';
import { sendTestRequest, type TestResult } from './send-test-request.ts';
import { Step } from './step.tsx';
import { TestAnswer } from './test-answer.tsx';
import classes from './welcome.module.css';

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
      description={`With ${exampleTools.length} example tools, as an agent would. What the gateway leaves out of them, the model never has to read, and you never pay for.`}
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
