import { Anchor, Button } from '@mantine/core';
import { Link } from 'react-router';
import { Foreign } from '../../components/foreign.tsx';
import { Figure, Figures } from '../../components/panel.tsx';
import { formatMs, formatTokens } from '../../format/numbers.ts';
import type { TestResult } from './send-test-request.ts';
import classes from './welcome.module.css';

/** By which the log counts what is saved: decisions of the interface say so. */
const tokensPerTool = 100;

/** The answer as it comes, and what the plan did to the request. */
export function TestAnswer({ result }: { readonly result: TestResult }) {
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
            See why these tools
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
      <Figure label="Tools you sent">{toolsIn}</Figure>
      <Figure
        label="Tools forwarded"
        hint={routing === null ? 'all of them' : `chosen by ${routing} ranking`}
      >
        {toolsOut}
      </Figure>
      <Figure label="Saved, by a careful estimate" hint={`${tokensPerTool} tokens a tool`}>
        {formatTokens((toolsIn - toolsOut) * tokensPerTool)}
      </Figure>
      <Figure label="The gateway took" hint="planning included">
        {formatMs(overheadMs)}
      </Figure>
    </Figures>
  );
}
