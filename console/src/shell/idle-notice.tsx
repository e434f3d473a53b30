import { Alert } from '@mantine/core';
import { useIdle } from '@mantine/hooks';
import { focusManager } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { When } from '../parts/when.tsx';

const idleAfterMs = 10 * 60_000;

/** Stops refreshing while nobody is there, so that a session ends an hour after its last use, and says so. */
export function IdleNotice() {
  const isIdle = useIdle(idleAfterMs, { initialState: false });
  useEffect(() => {
    focusManager.setFocused(isIdle ? false : undefined);
    return () => focusManager.setFocused(undefined);
  }, [isIdle]);
  // The stream of live events continues.
  const isLive = useLocation().pathname.endsWith('/events/live');
  return isIdle && !isLive ? <NotRefreshed /> : null;
}

function NotRefreshed() {
  const [since] = useState(() => new Date().toISOString());
  return (
    <Alert color="yellow" variant="light" role="status" mb="lg">
      Not refreshed since <When at={since} />. Move the mouse, press a key or touch the page to
      continue.
    </Alert>
  );
}
