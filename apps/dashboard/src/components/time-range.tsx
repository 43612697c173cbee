import { SegmentedControl } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { changeParam } from '../lib/addresses.ts';

interface TimeRangeProps {
  /** The selected time range in days. */
  readonly days: number;
  readonly ranges: readonly number[];
}

/** A control for choosing a time range. The address of the page contains the selected range as `days`. */
export function TimeRange({ days, ranges }: TimeRangeProps) {
  const [params, setParams] = useSearchParams();
  return (
    <SegmentedControl
      aria-label="Time range"
      value={String(days)}
      onChange={(value) => setParams(changeParam(params, 'days', value))}
      data={ranges.map((range) => ({
        value: String(range),
        label: range === 1 ? 'Today' : `${range} days`,
      }))}
    />
  );
}
