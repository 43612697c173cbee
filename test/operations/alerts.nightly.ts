import { describeAlerts } from './alerts.scenario.ts';

describe('alerts at their real times', () => describeAlerts(1));
