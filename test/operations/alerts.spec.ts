import { describeAlerts } from './alerts.scenario.ts';

/** One minute of the rules takes five seconds. */
describe('alerts at twelve times the speed', () => describeAlerts(12));
