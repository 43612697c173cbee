export declare const commandStartedAtMs: number;
export declare function renderDuration(ms: number): string;
export declare function runStep<Result>(title: string, work: () => Result | Promise<Result>): Promise<Result>;
