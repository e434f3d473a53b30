import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { withoutSecrets } from '../parts/pasted-text.ts';
import { ChoiceList, optionId } from './choice-list.tsx';
import type { Finding } from './findings.ts';
import { summarise } from './search-summary.ts';
import { useFindings } from './use-findings.ts';

interface PaletteProps {
  appUid: string | undefined;
  opened: boolean;
  onClose: () => void;
}

/** Finds anything by its ID, name or address, and opens it. */
export function Palette({ appUid, opened, onClose }: PaletteProps) {
  // A dialog that is open at its first render does not return the focus.
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return (
    <Modal.Root opened={opened && isMounted} onClose={onClose} size={600} yOffset={80}>
      <Modal.Overlay />
      <Modal.Content aria-label="Search">
        <Modal.Body p="sm">
          <SearchBox appUid={appUid} onClose={onClose} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function SearchBox({ appUid, onClose }: Omit<PaletteProps, 'opened'>) {
  const [query, setQuery] = useState('');
  const [chosenId, setChosenId] = useState<string | null>(null);
  const listId = useId();
  const found = useFindings(appUid, query);
  const go = useGo();
  const all = found.groups.flatMap(({ findings }) => findings);
  // By its ID, because results may still arrive above it.
  const selected = all.find(({ id }) => id === chosenId) ?? all[0];
  const open = (finding: Finding): void => {
    onClose();
    go(finding.link);
  };
  const move = (by: number): void => {
    const next = selected === undefined ? 0 : all.indexOf(selected) + by;
    setChosenId(all.at(next % all.length)?.id ?? null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || selected === undefined) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter') open(selected);
    else return;
    event.preventDefault();
  };
  return (
    <Stack gap="xs">
      <TextInput
        size="md"
        role="combobox"
        aria-label="Search"
        aria-autocomplete="list"
        aria-expanded={selected !== undefined}
        aria-controls={listId}
        {...(selected && {
          'aria-activedescendant': optionId(listId, found.groups, selected),
        })}
        placeholder={appUid === undefined ? 'Application' : 'Name, ID, URL, or anything you pasted'}
        leftSection={<Search size={18} aria-hidden />}
        value={query}
        onChange={(event) => {
          // A pasted key must neither be shown nor looked up.
          setQuery(withoutSecrets(event.currentTarget.value));
          setChosenId(null);
        }}
        onKeyDown={onKeyDown}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <Text size="xs" c="dimmed" role="status">
        {summarise(query, found, appUid !== undefined)}
      </Text>
      {selected !== undefined && (
        <ChoiceList
          id={listId}
          groups={found.groups}
          selected={selected}
          onSelect={({ id }) => setChosenId(id)}
          onOpen={open}
        />
      )}
    </Stack>
  );
}

function useGo(): (link: Finding['link']) => void {
  const router = useRouter();
  const navigate = useNavigate();
  return (link) => {
    if (typeof link === 'string') router.history.push(router.basepath + link);
    else void navigate(link);
  };
}
