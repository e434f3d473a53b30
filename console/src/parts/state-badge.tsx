import { Badge } from '@mantine/core';
import type { DeliveryState } from '@agent-herald/client';
import classes from './parts.module.css';

const colors: Readonly<Record<DeliveryState, string>> = {
  delivered: 'teal',
  pending: 'blue',
  retrying: 'yellow',
  held: 'grape',
  exhausted: 'red',
  blocked: 'red',
  cancelled: 'gray',
};

/** A word with a colour. The colour alone never carries the meaning. */
export function Tag({ color, children }: { color: string; children: string }) {
  return (
    <Badge
      color={color}
      variant="light"
      tt="none"
      radius="sm"
      className={classes['tag'] ?? ''}
      style={{
        '--tag-dark': `var(--mantine-color-${color}-9)`,
        '--tag-light': `var(--mantine-color-${color}-2)`,
      }}
    >
      {children}
    </Badge>
  );
}

export function StateBadge({ state }: { state: DeliveryState }) {
  return <Tag color={colors[state]}>{state}</Tag>;
}
