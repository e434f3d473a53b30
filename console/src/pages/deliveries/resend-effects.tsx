import type { Delivery } from '@agent-herald/client';
import { Stack, Text } from '@mantine/core';
import { effectsOf } from './resend-choice.ts';

interface ResendEffectsProps {
  of: readonly Pick<Delivery, 'state' | 'cancelReason'>[];
}

/** The effects of a resend on the selected deliveries, by their states. */
export function ResendEffects({ of: deliveries }: ResendEffectsProps) {
  return (
    <Stack gap="xs" aria-label="Effects" role="group">
      {effectsOf(deliveries).map((effect) => (
        <Text key={effect} size="sm">
          {effect}
        </Text>
      ))}
    </Stack>
  );
}
