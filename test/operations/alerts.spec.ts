import { describeAlerts } from './alerts.scenario.ts';

/** One minute in the alert rules lasts five seconds in this test. */
describe('alerts at twelve times the speed', () => describeAlerts(12));
