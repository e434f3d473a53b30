import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { visibleText } from './visible-text.ts';

interface ChangeOptions<Input, Result> {
  change: (input: Input) => Promise<Result>;
  /** The key prefixes of the queries that are outdated afterwards. */
  changes: readonly (readonly unknown[])[];
  /** The message after success. */
  done?: string | ((result: Result) => string);
  onDone?: (result: Result) => void;
}

/** A call that changes something. Afterwards the affected queries are refreshed and a message is shown. */
export function useChange<Input = void, Result = unknown>(options: ChangeOptions<Input, Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: options.change,
    // Some responses contain secrets. None is kept longer than the component that shows it.
    gcTime: 0,
    onSuccess: async (result) => {
      await Promise.all(options.changes.map((queryKey) => client.invalidateQueries({ queryKey })));
      const { done } = options;
      const message = typeof done === 'function' ? done(result) : done;
      if (message !== undefined)
        notifications.show({ message: visibleText(message), color: 'teal' });
      options.onDone?.(result);
    },
  });
}
