import { describeAlerts } from './alerts.scenario.ts';

describe('alerts at real-time speed', () => describeAlerts(1));
