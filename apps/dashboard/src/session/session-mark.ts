/** Says that this browser was signed in, and nothing else: the session itself is in a cookie that scripts cannot read. */
const name = 'svc-was-signed-in';

export function setMark(): void {
  withStorage((storage) => storage.setItem(name, 'yes'));
}

export function forgetMark(): void {
  withStorage((storage) => storage.removeItem(name));
}

export function isMarked(): boolean {
  // Where storage is switched off the cookie is simply tried.
  return withStorage((storage) => storage.getItem(name) !== null) ?? true;
}

function withStorage<Result>(read: (storage: Storage) => Result): Result | undefined {
  try {
    return read(window.localStorage);
  } catch {
    return undefined;
  }
}
