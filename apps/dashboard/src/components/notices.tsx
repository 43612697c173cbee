import { Button, CloseButton } from '@mantine/core';
import classes from './notices.module.css';
import { dismissNotice, useNotices, type Notice } from '../lib/notices.ts';

/** Shows the texts of `notifyDone`. The region always exists, so that screen readers announce new texts. */
export function Notices() {
  const notices = useNotices();
  return (
    <div className={classes.region} role="status">
      {notices.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function NoticeCard({ notice: { id, text, undo } }: { readonly notice: Notice }) {
  return (
    <div className={classes.notice}>
      <span className={classes.text}>{text}</span>
      {undo === undefined ? null : (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => {
            undo();
            dismissNotice(id);
          }}
        >
          Undo
        </Button>
      )}
      <CloseButton size="sm" aria-label="Dismiss" onClick={() => dismissNotice(id)} />
    </div>
  );
}
