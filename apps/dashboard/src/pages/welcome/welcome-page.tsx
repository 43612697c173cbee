import { useState } from 'react';
import { PageHeader } from '../../components/page-header.tsx';
import { ConnectStep } from './connect-step.tsx';
import { KeyStep } from './key-step.tsx';
import { SnippetStep } from './snippet-step.tsx';
import { TestStep } from './test-step.tsx';
import classes from './welcome.module.css';

/** The four steps to a first request and its plan. */
export function WelcomePage() {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <PageHeader
        title="Welcome"
        description="Your agents keep their SDK and change two lines: the base URL and the key. Follow four steps. You can skip the first one for now."
      />
      <ol className={classes.steps}>
        <ConnectStep />
        <KeyStep secret={secret} onSecret={setSecret} />
        <TestStep secret={secret} />
        <SnippetStep secret={secret} />
      </ol>
    </>
  );
}
