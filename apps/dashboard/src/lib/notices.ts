import { useSyncExternalStore } from 'react';

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly undo?: () => void;
}

const shownMs = 6_000;
let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

/** Says what was done, for a few seconds; `undo` offers the way back. */
export function notifyDone(text: string, undo?: () => void): void {
  const notice: Notice = undo ? { id: ++lastId, text, undo } : { id: ++lastId, text };
  change([...notices.slice(-2), notice]);
  setTimeout(() => dismissNotice(notice.id), undo ? 2 * shownMs : shownMs);
}

export function dismissNotice(id: number): void {
  change(notices.filter((notice) => notice.id !== id));
}

/** What was done by whoever was signed in is not the next person's to undo. */
export function dismissNotices(): void {
  change([]);
}

export function useNotices(): readonly Notice[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
}
