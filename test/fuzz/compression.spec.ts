import { describeCompression } from './compression-properties.ts';

// compression.nightly.ts runs 10,000 cases each.
describeCompression(300);
