import { describeCompression } from './compression-properties.ts';

// The nightly test, compression.nightly.ts, runs 10,000 cases for each property.
describeCompression(300);
