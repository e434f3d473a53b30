import { useNavigate } from '@tanstack/react-router';
import { keepCsrfToken } from '../api/client.ts';
import { queries } from '../api/queries.ts';

/** Returns a function to call after a sign-out. It discards everything that was shown. */
export function useLeave(): () => void {
  const navigate = useNavigate();
  return () => {
    keepCsrfToken(null);
    queries.clear();
    void navigate({ to: '/sign-in' });
  };
}
