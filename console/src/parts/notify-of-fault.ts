import { NotSignedInError } from '@agent-herald/client';
import { notifications } from '@mantine/notifications';
import { messageOf } from './fault.tsx';

/** Says why a button did nothing, where the page has no place for it. */
export function notifyOfFault(error: unknown): void {
  // The sign-in follows by itself.
  if (error instanceof NotSignedInError) return;
  notifications.show({ title: 'Something went wrong', message: messageOf(error), color: 'red' });
}
