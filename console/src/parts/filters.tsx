// The filters of a list. They are the query of the page's address, so that a link shows the same.
import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';

type Search = Readonly<Record<string, string | undefined>>;

interface FilterState {
  search: Search;
  set: (name: string, value: string | undefined) => void;
}

const context = createContext<FilterState | null>(null);
const typingPauseMs = 300;

function useFilters(): FilterState {
  const state = use(context);
  if (state === null) throw new Error('a filter stands inside of <Filters>');
  return state;
}

/** Surrounds the filters of a list, and offers to clear them. */
export function Filters({ children }: { children: ReactNode }) {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const go = (next: Search): void => {
    void navigate({ to: '.', search: next as never, replace: true });
  };
  const set = (name: string, value: string | undefined): void => go({ ...search, [name]: value });
  const isSet = Object.values(search).some((value) => value !== undefined);
  return (
    <context.Provider value={{ search, set }}>
      <Group role="search" gap="sm" align="flex-end">
        {children}
        {isSet && (
          <Button variant="subtle" size="sm" onClick={() => go({})}>
            Clear
          </Button>
        )}
      </Group>
    </context.Provider>
  );
}

interface FilterProps {
  /** In the address. */
  name: string;
  label: string;
}

interface ChoiceProps extends FilterProps {
  choices: readonly (string | { value: string; label: string })[];
}

export function ChoiceFilter({ name, label, choices }: ChoiceProps) {
  const { search, set } = useFilters();
  return (
    <Select
      label={label}
      placeholder="any"
      data={choices}
      value={search[name] ?? null}
      onChange={(value) => set(name, value ?? undefined)}
      clearable
      searchable={choices.length > 8}
      w={{ base: '100%', xs: 170 }}
      clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}` }}
    />
  );
}

export function TextFilter({
  name,
  label,
  placeholder = 'any',
}: FilterProps & { placeholder?: string }) {
  const { search, set } = useFilters();
  const inAddress = search[name] ?? '';
  const [typed, setTyped] = useState(inAddress);
  useEffect(() => setTyped(inAddress), [inAddress]);
  const send = useDebouncedCallback(
    (text: string) => set(name, text.trim() || undefined),
    typingPauseMs,
  );
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        send(event.currentTarget.value);
      }}
      w={{ base: '100%', xs: 190 }}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

/** A time in the zone of the viewer, in the address as an instant. */
export function TimeFilter({ name, label }: FilterProps) {
  const { search, set } = useFilters();
  const at = search[name];
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={at === undefined ? '' : toLocalInput(at)}
      onChange={(event) => {
        const at = new Date(event.currentTarget.value);
        set(name, Number.isNaN(at.getTime()) ? undefined : at.toISOString());
      }}
      w={{ base: '100%', xs: 200 }}
    />
  );
}

/** Returns an instant as an input of the type `datetime-local` takes it. */
export function toLocalInput(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
