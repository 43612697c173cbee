declare module 'jstat' {
  /** Types for the part of jStat that this app uses. jStat is a CommonJS module. */
  const jstat: {
    readonly jStat: {
      readonly beta: {
        /** The quantile function of the beta distribution. */
        inv(probability: number, alpha: number, beta: number): number;
      };
      readonly chisquare: {
        /** The quantile function of the χ² distribution. */
        inv(probability: number, degrees: number): number;
      };
    };
  };
  export default jstat;
}
