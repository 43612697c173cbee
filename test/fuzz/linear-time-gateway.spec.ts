import { describeStalls } from './linear-time-gateway.scenario.ts';

/** One in 28 inputs, to save time. `npm run test:nightly -- linear-time-gateway` sends all inputs. */
describeStalls(28);
