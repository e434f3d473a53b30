// Ctrl-K opens the search, `g` and a letter open a page, `?` lists the shortcuts.
import { ActionIcon, Button, Group, Kbd, Modal, Table } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { pagesOfApp } from './pages.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const letterWithinMs = 1_500;

/** The button of the search, and all shortcuts. */
export function Keyboard({ appUid }: { appUid: string | undefined }) {
  const [isLoaded, setLoaded] = useState(false);
  const [isSearching, { open: openSearch, close: closeSearch }] = useDisclosure();
  const [list, { open: openList, close: closeList }] = useDisclosure();
  const openedAtMs = useRef(-Infinity);
  const navigate = useNavigate();
  const showSearch = (): void => {
    setLoaded(true);
    openSearch();
  };
  useHotkeys(
    [['mod+K', showSearch]],
    // Also works while the focus is in a text field.
    [],
  );
  useHotkeys([
    ['?', openList],
    ['shift+?', openList],
    ['g', () => (openedAtMs.current = performance.now()), { preventDefault: false }],
    ...pagesOfApp.map(({ to, letter }): [string, () => void, { preventDefault: boolean }] => [
      letter,
      () => {
        if (appUid === undefined || performance.now() - openedAtMs.current > letterWithinMs) return;
        openedAtMs.current = -Infinity;
        void navigate({ to, params: { appUid } });
      },
      { preventDefault: false },
    ]),
  ]);
  return (
    <>
      <Button
        variant="default"
        size="sm"
        visibleFrom="sm"
        onClick={showSearch}
        leftSection={<Search size={16} aria-hidden />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
      >
        Search
      </Button>
      <ActionIcon
        variant="default"
        size="lg"
        hiddenFrom="sm"
        aria-label="Search"
        onClick={showSearch}
      >
        <Search size={18} />
      </ActionIcon>
      {isLoaded && (
        <Suspense fallback={null}>
          <Palette appUid={appUid} opened={isSearching} onClose={closeSearch} />
        </Suspense>
      )}
      <Modal
        opened={list}
        onClose={closeList}
        title="Shortcuts"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Shortcuts />
      </Modal>
    </>
  );
}

function Shortcuts() {
  const rows = [
    { keys: ['Ctrl', 'K'], does: 'Search, or go to a page or any ID' },
    { keys: ['?'], does: 'Show these shortcuts' },
    ...pagesOfApp.map(({ label, letter }) => ({ keys: ['g', letter], does: label })),
  ];
  return (
    <Table>
      <Table.Tbody>
        {rows.map(({ keys, does }) => (
          <Table.Tr key={does}>
            <Table.Td>
              <Group gap={4}>
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </Group>
            </Table.Td>
            <Table.Td>{does}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
