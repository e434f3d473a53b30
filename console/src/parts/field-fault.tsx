import { Text } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';

/** What is wrong with a group of fields, for groups that cannot show it themselves. */
export function FieldFault({ children }: { children: ReactNode }) {
  if (children === undefined || children === null) return null;
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert" tabIndex={-1} data-fault>
      {children}
    </Text>
  );
}

/** Leads to the first wrong field of a form after each refusal: call `lead` when its errors are set. */
export function useFirstFault(): { form: RefObject<HTMLFormElement | null>; lead: () => void } {
  const form = useRef<HTMLFormElement>(null);
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (refusals === 0) return;
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-fault]');
    wrong?.scrollIntoView({ block: 'center' });
    wrong?.focus({ preventScroll: true });
  }, [refusals]);
  return { form, lead: () => setRefusals((count) => count + 1) };
}

/** Returns the sentence at the end of a refused form. */
export function faultSentence(count: number): string {
  return count === 1
    ? 'Not saved: one field is wrong. It is marked above.'
    : `Not saved: ${count} fields are wrong. They are marked above.`;
}
