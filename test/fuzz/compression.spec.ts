import { describeCompression } from './compression-properties.ts';

// 10,000 cases each in compression.nightly.ts.
describeCompression(300);
