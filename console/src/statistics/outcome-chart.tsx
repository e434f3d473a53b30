import type { DeliveryStatistics } from '@agent-herald/client';
import { Box, Button, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { outcomes, sentenceOf } from './outcomes.ts';
import { formatPoint, isLongerThanDay } from './ranges.ts';

const OutcomeBars = lazy(async () => {
  const { OutcomeBars: bars } = await import('./outcome-bars.tsx');
  return { default: bars };
});

interface OutcomeChartProps {
  statistics: DeliveryStatistics;
  /** Describes the chart to screen readers. */
  label: string;
}

/** Attempts over time by outcome: as bars, as a sentence, and on demand as a table. */
export function OutcomeChart({ statistics, label }: OutcomeChartProps) {
  const [isTable, setTable] = useState(false);
  const { totals, interval, points } = statistics;
  const isLong = isLongerThanDay(interval, points.length);
  const rows = points.map((point) => ({
    ...point,
    time: formatPoint(point.at, interval, isLong),
  }));
  return (
    <Stack gap="xs" align="stretch">
      <Text size="sm" c="dimmed">
        {sentenceOf(totals)}
      </Text>
      {totals.attempts > 0 && !isTable && (
        <Box aria-hidden="true">
          <Suspense fallback={<Skeleton height={240} />}>
            <OutcomeBars
              points={rows.map(({ time, delivered, retrying, exhausted, blocked }) => ({
                time,
                delivered,
                retrying,
                exhausted,
                blocked,
              }))}
            />
          </Suspense>
        </Box>
      )}
      {isTable && (
        <DataTable
          label={label}
          columns={columns}
          rows={rows.filter(({ attempts }) => attempts > 0)}
          keyOf={({ at }) => at}
        />
      )}
      {totals.attempts > 0 && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => setTable(!isTable)}
          style={{ alignSelf: 'end' }}
        >
          {isTable ? 'Show as a chart' : 'Show as a table'}
          <VisuallyHidden>: {label}</VisuallyHidden>
        </Button>
      )}
    </Stack>
  );
}

type Row = DeliveryStatistics['points'][number] & { time: string };

const columns: Column<Row>[] = [
  { label: 'Time', cell: ({ time }) => time },
  ...outcomes.map(({ name }) => ({ label: name, cell: (row: Row) => row[name] })),
];
