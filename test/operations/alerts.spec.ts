import { describeAlerts } from './alerts.scenario.ts';

/** One minute in the alert rules takes five seconds in this test. */
describe('alerts at twelve times the speed', () => describeAlerts(12));
