import { describeStalls } from './linear-time-gateway.scenario.ts';

describeStalls(14);
