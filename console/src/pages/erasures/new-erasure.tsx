import type { ErasureDryRun } from '@agent-herald/client';
import { Button, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Fault } from '../../parts/fault.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { formatCapped } from '../../statistics/outcomes.ts';
import { describeCounts } from '../syncs/sync-counts.ts';
import { bodyOfErasure, type ErasureWish, isComplete, wordOf } from './erasure-wish.ts';

const nothing: ErasureWish = { of: 'tenant', tenant: '', mentions: '' };

/** The form of an erasure. It counts what matches, and starts after confirmation. */
export function NewErasure() {
  const { calls, key } = useApp();
  const [wish, setWish] = useState(nothing);
  const body = bodyOfErasure(wish);
  const count = useChange({
    change: () => calls.erasures.create({ ...body, dryRun: true }),
    changes: [],
  });
  const erase = useChange({
    change: () => calls.erasures.create(body),
    changes: [key],
    done: 'Erasure started.',
    onDone: () => {
      setWish(nothing);
      count.reset();
    },
  });
  const found = count.data !== undefined && 'dryRun' in count.data ? count.data : null;
  return (
    <Stack gap="md" align="flex-start">
      <Fields wish={wish} setWish={setWish} />
      <Text size="sm">
        Deletes the payloads of the events recorded so far and the responses of receivers, and
        cancels open deliveries. The events stay, with their IDs, names, times and tenant. So do
        agents, contexts, files and users, and the data that receivers already have.
      </Text>
      {count.error !== null && <Fault error={count.error} />}
      <Button
        color="red"
        disabled={!isComplete(wish)}
        loading={count.isPending}
        onClick={() => count.mutate()}
      >
        Erase…
      </Button>
      <Confirm
        title="Erase permanently?"
        verb="Erase"
        word={wordOf(wish)}
        opened={found !== null}
        onClose={count.reset}
        change={erase}
      >
        {found !== null && <Found of={found} />} It cannot be undone.
      </Confirm>
    </Stack>
  );
}

function Found({ of: { keptResources, countIsCapped, ...found } }: { of: ErasureDryRun }) {
  const formatted = (count: number): string => formatCapped({ count, countIsCapped });
  return (
    <>
      Payloads to delete, with their responses: {formatted(found.count)}. Open deliveries to cancel:{' '}
      {formatted(found.openCount)}. Kept: {describeCounts(keptResources)}; delete these first, or
      their next change sends them again.
    </>
  );
}

interface FieldsProps {
  wish: ErasureWish;
  setWish: (wish: ErasureWish) => void;
}

function Fields({ wish, setWish }: FieldsProps) {
  return (
    <>
      <SegmentedControl
        aria-label="Whose payloads"
        value={wish.of}
        onChange={(of) => setWish({ ...wish, of })}
        data={[
          { value: 'tenant', label: 'A tenant' },
          { value: 'user', label: 'A user' },
        ]}
      />
      {wish.of === 'tenant' ? (
        <TextInput
          label="Tenant"
          description="The exact externalTenantId"
          value={wish.tenant}
          onChange={(event) => setWish({ ...wish, tenant: event.currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
          w="100%"
          maw={460}
        />
      ) : (
        <Textarea
          label="Identifiers of the user"
          description="One per line, at most 10: every value that your payloads contain for the user, such as your ID, the ID of the user here, and the email address. Only whole values match."
          value={wish.mentions}
          onChange={(event) => setWish({ ...wish, mentions: event.currentTarget.value })}
          autosize
          minRows={3}
          autoComplete="off"
          spellCheck={false}
          w="100%"
          maw={460}
        />
      )}
    </>
  );
}
