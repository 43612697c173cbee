import { describeStalls } from './linear-time-gateway.scenario.ts';

/**
 * Only one of 28 inputs is sent, to save time. `npm run test:nightly -- linear-time-gateway` sends all
 * inputs.
 */
describeStalls(28);
