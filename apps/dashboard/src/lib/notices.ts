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

/**
 * Shows a message about a completed action for a few seconds. If `undo` is given, the notice has an undo
 * button.
 */
export function notifyDone(text: string, undo?: () => void): void {
  const notice: Notice = undo ? { id: ++lastId, text, undo } : { id: ++lastId, text };
  change([...notices.slice(-2), notice]);
  setTimeout(() => dismissNotice(notice.id), undo ? 2 * shownMs : shownMs);
}

export function dismissNotice(id: number): void {
  change(notices.filter((notice) => notice.id !== id));
}

/** Removes all notices, so that the next person cannot undo the actions of the previous person. */
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
