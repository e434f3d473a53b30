import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { visibleText } from './visible-text.ts';

interface ChangeOptions<Input, Result> {
  change: (input: Input) => Promise<Result>;
  /** The beginnings of the keys of the queries that show something else afterwards. */
  changes: readonly (readonly unknown[])[];
  /** What is said when it is done. */
  done?: string | ((result: Result) => string);
  onDone?: (result: Result) => void;
}

/** A call that changes something: afterwards the pages ask anew, and say that it is done. */
export function useChange<Input = void, Result = unknown>(options: ChangeOptions<Input, Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: options.change,
    // Some answers have secrets: none is kept longer than what shows it.
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
