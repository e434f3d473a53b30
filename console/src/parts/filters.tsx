// The filters of a list. They are the query of the page's address, so that a link shows the same list.
import {
  Button,
  type ComboboxItem,
  Group,
  Select,
  type SelectProps,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedCallback, useDisclosure, useMediaQuery } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { createContext, Fragment, type ReactNode, use, useEffect, useRef, useState } from 'react';
import { fromLocalInput, toLocalInput, zoneName } from './local-time.ts';
import { pastedValue } from './pasted-text.ts';
import { visibleText } from './visible-text.ts';

type Search = Readonly<Record<string, string | undefined>>;

interface FilterState {
  search: Search;
  setAll: (values: Search) => void;
}

const context = createContext<FilterState | null>(null);
const typingPauseMs = 300;

function useFilters(): FilterState {
  const state = use(context);
  if (state === null) throw new Error('a filter stands inside of <Filters>');
  return state;
}

/** The container of a list's filters, with a button to clear them. On a phone, all are behind a button. */
export function Filters({ children }: { children: ReactNode }) {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [clears, setClears] = useState(0);
  const isNarrow = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false });
  const go = (next: Search): void => {
    void navigate({ to: '.', search: next as never, replace: true });
  };
  const clear = (): void => {
    // Cleared filters also discard typed text that was not applied yet.
    setClears(clears + 1);
    go({});
  };
  const setAll = (values: Search): void => go({ ...search, ...values });
  const names = Object.keys(search);
  const filters = (
    <Group role="search" gap="sm" align="flex-end">
      <Fragment key={clears}>{children}</Fragment>
      {countSet(search, names) > 0 && (
        <Button variant="subtle" px="xs" aria-label="Clear filters" onClick={clear}>
          Clear
        </Button>
      )}
    </Group>
  );
  return (
    <context.Provider value={{ search, setAll }}>
      {isNarrow ? (
        <Stack gap="sm">
          <Folded label="Filters" names={names}>
            {filters}
          </Folded>
        </Stack>
      ) : (
        filters
      )}
    </context.Provider>
  );
}

function countSet(search: Search, names: readonly string[]): number {
  return names.filter((name) => search[name] !== undefined).length;
}

interface FoldedProps {
  label: string;
  /** The names in the address. */
  names: readonly string[];
  children: ReactNode;
}

/** Filters behind a button that says how many of them are set. */
function Folded({ label, names, children }: FoldedProps) {
  const count = countSet(useFilters().search, names);
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <>
      <Button variant="default" px="sm" aria-expanded={isOpen} onClick={toggle}>
        {count === 0 ? label : `${label} (${count})`}
      </Button>
      {isOpen && children}
    </>
  );
}

export interface FilterProps {
  /** The name in the address. */
  name: string;
  label: string;
}

export interface Choice {
  value: string;
  label: string;
  /** Further text by which it is found. */
  also?: string;
}

interface ChoiceProps extends FilterProps {
  choices: readonly (string | Choice)[];
}

function isFound({ label, also = '' }: ComboboxItem & { also?: string }, typed: string): boolean {
  return `${label}\n${also}`.toLowerCase().includes(typed.trim().toLowerCase());
}

function AnySelect({ label, ...props }: Omit<SelectProps, 'label'> & { label: string }) {
  return (
    <Select
      label={label}
      placeholder="any"
      clearable
      w={{ base: '100%', xs: 170 }}
      clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}` }}
      {...props}
    />
  );
}

export function ChoiceFilter({ name, label, choices }: ChoiceProps) {
  const { search, setAll } = useFilters();
  return (
    <AnySelect
      label={label}
      data={choices.map((choice) => {
        const { label, ...rest } =
          typeof choice === 'string' ? { value: choice, label: choice } : choice;
        return { ...rest, label: visibleText(label) };
      })}
      filter={({ options, search }) =>
        options.filter((option) => !('value' in option) || isFound(option, search))
      }
      value={search[name] ?? null}
      onChange={(value) => setAll({ [name]: value ?? undefined })}
      searchable={choices.length > 8}
    />
  );
}

interface OneOfProps {
  label: string;
  groups: readonly (FilterProps & { values: readonly string[] })[];
}

/** One filter for several names in the address. A choice replaces the others; only addresses combine them. */
export function OneOfFilter({ label, groups }: OneOfProps) {
  const { search, setAll } = useFilters();
  const unset = Object.fromEntries(groups.map(({ name }) => [name, undefined]));
  const pairs = groups.flatMap(({ name }) => (search[name] ? [[name, search[name]]] : []));
  const value = new URLSearchParams(pairs).toString();
  const linked = { value, label: visibleText(pairs.map(([, one]) => one).join(', ')) };
  const data = groups.map(({ name, label: group, values }) => ({
    group,
    items: values.map((one) => ({ value: `${name}=${one}`, label: one })),
  }));
  return (
    <AnySelect
      label={label}
      data={pairs.length > 1 ? [linked, ...data] : data}
      value={value || null}
      onChange={(chosen) =>
        setAll({ ...unset, ...Object.fromEntries(new URLSearchParams(chosen ?? '')) })
      }
      searchable
    />
  );
}

/** The text typed into a filter. It is written to the address when the typing pauses. */
export function useTyped(name: string, shown: (inAddress: string) => string) {
  const { search, setAll } = useFilters();
  const inAddress = search[name] ?? '';
  const [typed, setTyped] = useState(() => shown(inAddress));
  const sent = useRef(inAddress);
  const send = useDebouncedCallback((value: string) => {
    if (value === sent.current) return;
    sent.current = value;
    setAll({ [name]: value || undefined });
  }, typingPauseMs);
  useEffect(() => {
    // The address returns the filter's own older value while somebody keeps typing.
    if (inAddress === sent.current) return;
    sent.current = inAddress;
    send.cancel();
    setTyped(shown(inAddress));
  }, [inAddress, send, shown]);
  return { typed, inAddress, setTyped, send };
}

export const asItIs = (text: string): string => text;

interface TextProps extends FilterProps {
  placeholder?: string;
  /** Changes what is typed before it is shown. */
  read?: (typed: string) => string;
}

export function TextFilter({ name, label, placeholder = 'any', read = asItIs }: TextProps) {
  const { typed, setTyped, send } = useTyped(name, asItIs);
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={typed}
      onChange={(event) => {
        const text = read(event.currentTarget.value);
        setTyped(text);
        send(pastedValue(text));
      }}
      w={{ base: '100%', xs: 190 }}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

const quickRanges = [
  { label: '15 min', ms: 900_000 },
  { label: '1 h', ms: 3_600_000 },
  { label: '24 h', ms: 86_400_000 },
  { label: '7 d', ms: 604_800_000 },
] as const;

interface PeriodProps {
  /** The names of the other filters behind the button. */
  names?: readonly string[];
  children?: ReactNode;
}

/** A period: a range that ends now, or, behind a button with other rarely used filters, from a time to a time. */
export function PeriodFilter({ names = [], children }: PeriodProps) {
  const { setAll } = useFilters();
  return (
    <>
      <Button.Group>
        {quickRanges.map(({ label, ms }) => (
          <Button
            key={label}
            variant="default"
            px="xs"
            aria-label={`Last ${label}`}
            onClick={() => {
              const since = new Date(Date.now() - ms).toISOString();
              setAll({ since, until: undefined });
            }}
          >
            {label}
          </Button>
        ))}
      </Button.Group>
      <Folded label="More filters" names={[...names, 'since', 'until']}>
        {children}
        <TimeFilter name="since" label="Since" />
        <TimeFilter name="until" label="Until" />
        <Text size="xs" c="dimmed">
          Times in {zoneName()}
        </Text>
      </Folded>
    </>
  );
}

/** A time in the viewer's time zone, stored in the address as an instant. */
function TimeFilter({ name, label }: FilterProps) {
  const { typed, setTyped, send } = useTyped(name, toLocalInput);
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={typed}
      onChange={(event) => {
        const { value } = event.currentTarget;
        setTyped(value);
        const at = fromLocalInput(value);
        if (at === null) send.cancel();
        else send(at);
      }}
      onBlur={(event) => {
        const { value, validity } = event.currentTarget;
        if (value === '' && !validity.badInput) send('');
      }}
      w={{ base: '100%', xs: 200 }}
    />
  );
}
