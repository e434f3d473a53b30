import { useNavigate } from '@tanstack/react-router';
import { keepCsrfToken } from '../api/client.ts';
import { queries } from '../api/queries.ts';

/** Returns what follows a sign-out: nothing that was shown is kept. */
export function useLeave(): () => void {
  const navigate = useNavigate();
  return () => {
    keepCsrfToken(null);
    queries.clear();
    void navigate({ to: '/sign-in' });
  };
}
