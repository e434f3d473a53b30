// Keeps what somebody types in this tab, so that an ended session or a reload does not lose it. Never with secrets.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Session, sessionQuery } from '../api/session.ts';

interface Kept<Values> {
  adminUid: string;
  values: Values;
}

export interface KeptInput<Values> {
  /** What the same admin typed before. Null if there is nothing. */
  restored: Values | null;
  /** Keeps the values, or forgets them for null. */
  keep: (values: Values | null) => void;
}

const prefix = 'herald-input:';

/** Checks whether this tab keeps input of any page. */
export function hasKeptInput(): boolean {
  return Object.keys(sessionStorage).some((key) => key.startsWith(prefix));
}

/** Input kept under a name, which contains the version of what is edited. */
export function useKeptInput<Values>(name: string): KeptInput<Values> {
  const client = useQueryClient();
  const key = prefix + name;
  const adminUid = (): string | undefined =>
    client.getQueryData<Session | null>(sessionQuery.queryKey)?.admin.uid;
  const [restored] = useState(() => {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Kept<Values> | null;
    return kept !== null && kept.adminUid === adminUid() ? kept.values : null;
  });
  const keep = (values: Values | null): void => {
    const uid = adminUid();
    if (values === null) sessionStorage.removeItem(key);
    else if (uid !== undefined)
      sessionStorage.setItem(key, JSON.stringify({ adminUid: uid, values }));
  };
  return { restored, keep };
}
