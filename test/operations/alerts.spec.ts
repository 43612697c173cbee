import { describeAlerts } from './alerts.scenario.ts';

/** A minute of the rules is five seconds. */
describe('alerts, twelve times as fast', () => describeAlerts(12));
