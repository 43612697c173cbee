declare module 'jstat' {
  /** The part of the library in use. It is a CommonJS module. */
  const jstat: {
    readonly jStat: {
      readonly beta: {
        /** The quantile of the beta distribution. */
        inv(probability: number, alpha: number, beta: number): number;
      };
      readonly chisquare: {
        /** The quantile of the χ² distribution. */
        inv(probability: number, degrees: number): number;
      };
    };
  };
  export default jstat;
}
