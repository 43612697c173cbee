import { cutText } from '../../text/cut-text.ts';
import type { TextStep } from './text-step.ts';

/**
 * Matches encoded data such as base64 or hex, with or without a data URL. Words, paths and identifiers are
 * shorter than 320 characters.
 */
const encoded = /[A-Za-z0-9+/_=-]{320,}/g;
const lineMax = 3_000;
const headLength = 240;
const tailLength = 80;

/** Truncates encoded data and minified lines, but keeps enough characters for the data to be recognized. */
export const blobs: TextStep = {
  name: 'blobs',
  apply(text, { omit }) {
    const withoutData = text.replace(encoded, (blob) =>
      looksEncoded(blob)
        ? `${blob.slice(0, 24)}[… ${blob.length - 24} characters left out: ${omit(blob)}]`
        : blob,
    );
    if (withoutData.length < lineMax) return withoutData;
    return withoutData
      .split('\n')
      .map((line) => (isMinified(line) ? cutLine(line, omit(line)) : line))
      .join('\n');
  },
};

/** Whether the text looks like encoded data. Encoded data is hexadecimal, or mixes upper case, lower case and digits. */
function looksEncoded(blob: string): boolean {
  const sample = blob.slice(0, 320);
  const isMixed = /[A-Z]/.test(sample) && /[a-z]/.test(sample) && /\d/.test(sample);
  return isMixed || /^[0-9a-fA-F]+$/.test(sample);
}

function isMinified(line: string): boolean {
  if (line.length < lineMax) return false;
  let blanks = 0;
  for (let at = 0; at < lineMax; at += 1) if (line.charCodeAt(at) === 0x20) blanks += 1;
  return blanks < lineMax / 14;
}

function cutLine(line: string, id: string): string {
  const left = line.length - headLength - tailLength;
  const head = cutText(line, 0, headLength);
  const tail = cutText(line, line.length - tailLength, line.length);
  return `${head}[… ${left} characters left out: ${id}]${tail}`;
}
