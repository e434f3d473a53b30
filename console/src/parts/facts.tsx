import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './parts.module.css';

/** Names and values side by side, or stacked on a phone. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <Box component="dl" className={classes['facts'] ?? ''}>
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </Box>
  );
}
