import { Alert } from '@mantine/core';
import { useOutage } from '../api/outage.ts';

/** Says on every page what does not work at the moment, and what still does. */
export function OutageBanner() {
  const outage = useOutage();
  if (outage === null) return null;
  return (
    <Alert color="red" variant="light" title={outage.title} role="alert" mb="lg">
      {outage.text}
    </Alert>
  );
}
