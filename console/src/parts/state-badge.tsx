import { Badge, type BadgeProps } from '@mantine/core';
import type { DeliveryState } from '@agent-herald/client';

const colors: Readonly<Record<DeliveryState, string>> = {
  delivered: 'teal',
  pending: 'blue',
  retrying: 'yellow',
  held: 'grape',
  exhausted: 'red',
  blocked: 'red',
  cancelled: 'gray',
};

/** A word with a colour, which never tells alone. */
export function Tag({ color, children }: { color: string; children: string }) {
  const props: BadgeProps = { color, variant: 'light', tt: 'none', radius: 'sm' };
  return (
    <Badge
      {...props}
      styles={{
        root: {
          color: `light-dark(var(--mantine-color-${color}-9), var(--mantine-color-${color}-2))`,
        },
      }}
    >
      {children}
    </Badge>
  );
}

export function StateBadge({ state }: { state: DeliveryState }) {
  return <Tag color={colors[state]}>{state}</Tag>;
}
