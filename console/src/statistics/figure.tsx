import { Card, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FigureProps {
  label: string;
  value: string;
  /** The meaning of the number, or what to do about it. */
  about?: ReactNode;
}

/** One number with its label. */
export function Figure({ label, value, about }: FigureProps) {
  return (
    <Card withBorder padding="md" component="div" role="group" aria-label={label}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={24} fw={650} lh={1.3}>
        {value}
      </Text>
      {about !== undefined && (
        <Text size="xs" c="dimmed" component="div">
          {about}
        </Text>
      )}
    </Card>
  );
}

/** Numbers side by side, two per row on a phone. */
export function Figures({ children }: { children: ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      {children}
    </SimpleGrid>
  );
}
