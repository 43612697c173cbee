/** Tells the vault that a provider refused a credential, with which status, or (null) that it took it again. */
export type ReportCredential = (refusedStatus: number | null) => void;

export interface CredentialHealthOptions {
  /** What the vault knew when the credential was opened. */
  readonly isFailing: boolean;
  readonly report: ReportCredential;
  readonly now?: () => number;
}

/** A provider that answers now so, now so, is not told of each time. */
const quietMs = 10_000;
/** Answers with which a provider refuses the credential itself, or what it may do. */
const isRefusal = (status: number) => status === 401 || status === 403;

/** How an opened credential fares, by the answers that it gets. A change is reported; nobody waits for that. */
export class CredentialHealth {
  readonly #report: ReportCredential;
  readonly #now: () => number;
  #isFailing: boolean;
  #quietUntil = 0;

  constructor({ isFailing, report, now = Date.now }: CredentialHealthOptions) {
    this.#isFailing = isFailing;
    this.#report = report;
    this.#now = now;
  }

  /** Of every answer's status. Costs two comparisons as long as nothing changes. */
  note(status: number): void {
    if (status < 400 ? this.#isFailing : !this.#isFailing && isRefusal(status)) this.#change(status);
  }

  #change(status: number): void {
    const now = this.#now();
    if (now < this.#quietUntil) return;
    this.#quietUntil = now + quietMs;
    this.#isFailing = isRefusal(status);
    this.#report(this.#isFailing ? status : null);
  }
}
