import { describeAlerts } from './alerts.scenario.ts';

/** The test scales one minute in the alert rules down to five seconds. */
describe('alerts at twelve times the speed', () => describeAlerts(12));
