import { describeAlerts } from './alerts.scenario.ts';

describe('alerts, as they stand', () => describeAlerts(1));
