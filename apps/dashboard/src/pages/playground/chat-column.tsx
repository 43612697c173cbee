import { ErrorState } from '../../components/states.tsx';
import { Foreign } from '../../components/values.tsx';
import { formatMs } from '../../lib/format.ts';
import type { ToolCall, Turn } from '../../chat/conversation.ts';
import { PlanCard } from './plan-card.tsx';
import classes from './playground.module.css';
import type { Reply, ColumnChat } from './use-chat.ts';

interface ChatColumnProps {
  readonly title: string;
  readonly chat: ColumnChat;
}

/** A column with one conversation and the plan of its last request. */
export function ChatColumn({ title, chat }: ChatColumnProps) {
  const { turns, reply, isBusy, sessionId } = chat;
  return (
    <section className={classes.column} aria-label={title}>
      <h2 className={classes.columnTitle}>{title}</h2>
      <div className={classes.turns} role="log" aria-live="polite" aria-busy={isBusy}>
        {turns.length === 0 && reply === null ? (
          <p className={classes.hint}>No messages yet. Type a message below. Tools are optional.</p>
        ) : null}
        {turns.map((turn, at) => (
          <TurnView key={at} turn={turn} />
        ))}
        {isBusy ? <IncomingReply reply={reply} /> : null}
        {reply?.answer.error == null ? null : (
          <p className={classes.broken}>
            The response was interrupted: <Foreign>{reply.answer.error}</Foreign>
          </p>
        )}
        {reply?.error == null ? null : <ErrorState error={reply.error} />}
      </div>
      {reply?.headers == null ? null : (
        <PlanCard headers={reply.headers} sessionId={sessionId} tookMs={reply.tookMs} isBusy={isBusy} />
      )}
    </section>
  );
}

function IncomingReply({ reply }: { readonly reply: Reply | null }) {
  const answer = reply?.answer;
  if (answer === undefined || (answer.text === '' && answer.calls.length === 0))
    return (
      <p className={classes.hint}>
        Waiting for the first byte… {reply === null ? '' : formatMs(reply.tookMs)}
      </p>
    );
  return <AssistantTurn text={answer.text} calls={answer.calls} />;
}

function TurnView({ turn }: { readonly turn: Turn }) {
  switch (turn.role) {
    case 'user':
      return (
        <div className={classes.user}>
          <Foreign>{turn.text}</Foreign>
        </div>
      );
    case 'assistant':
      return <AssistantTurn text={turn.text} calls={turn.calls} />;
    case 'tool':
      return (
        <div className={classes.user}>
          {turn.results.map(({ call, text }) => (
            <div key={call.id}>
              <code>
                <Foreign>{call.name}</Foreign>
              </code>
              : <Foreign>{text}</Foreign>
            </div>
          ))}
        </div>
      );
  }
}

function AssistantTurn({ text, calls }: { readonly text: string; readonly calls: readonly ToolCall[] }) {
  return (
    <div className={classes.assistant}>
      {text === '' ? null : <Foreign>{text}</Foreign>}
      {calls.map((call) => (
        <div key={call.id} className={classes.call}>
          calls{' '}
          <code>
            <Foreign>
              {call.name}({call.argumentsJson})
            </Foreign>
          </code>
        </div>
      ))}
    </div>
  );
}
