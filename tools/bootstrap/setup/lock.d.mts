export declare function withLock<T>(file: string, work: () => Promise<T> | T): Promise<T>;
