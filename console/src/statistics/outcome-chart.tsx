import type { DeliveryStatistics } from '@agent-herald/client';
import { Box, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { outcomes, sentenceOf } from './outcomes.ts';
import { formatPoint, isLongerThanDay } from './ranges.ts';

const OutcomeBars = lazy(async () => {
  const { OutcomeBars: bars } = await import('./outcome-bars.tsx');
  return { default: bars };
});

interface OutcomeChartProps {
  statistics: DeliveryStatistics;
  isTable?: boolean;
}

/** Attempts over time by outcome: as a sentence, and as bars or a table. */
export function OutcomeChart({ statistics, isTable = false }: OutcomeChartProps) {
  const { totals, interval, points } = statistics;
  const isLong = isLongerThanDay(interval, points.length);
  const rows = points.map((point) => ({
    ...point,
    time: formatPoint(point.at, interval, isLong),
  }));
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {sentenceOf(totals)}
      </Text>
      {totals.attempts > 0 && !isTable && (
        <Box aria-hidden="true">
          <Suspense fallback={<Skeleton height={240} />}>
            <OutcomeBars points={rows} />
          </Suspense>
        </Box>
      )}
      {isTable && (
        <DataTable
          label="Attempts by outcome"
          columns={columns}
          rows={rows.filter(({ attempts }) => attempts > 0)}
          keyOf={({ at }) => at}
        />
      )}
    </Stack>
  );
}

type Row = DeliveryStatistics['points'][number] & { time: string };

const columns: Column<Row>[] = [
  { label: 'Time', cell: ({ time }) => time },
  ...outcomes.map(({ name, label }) => ({ label, cell: (row: Row) => row[name] })),
];
