import { describeCompression } from './compression-properties.ts';

describeCompression(10_000);
