declare module 'jstat' {
  /** As much of the library as is used here. It is CommonJS. */
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
