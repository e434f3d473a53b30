import { NotSignedInError } from '@agent-herald/client';
import { notifications } from '@mantine/notifications';
import { messageOf } from './fault.tsx';

/** Shows why an action failed, if the page has no place for the error. */
export function notifyOfFault(error: unknown): void {
  // The sign-in page opens by itself.
  if (error instanceof NotSignedInError) return;
  notifications.show({ title: 'Something went wrong', message: messageOf(error), color: 'red' });
}
