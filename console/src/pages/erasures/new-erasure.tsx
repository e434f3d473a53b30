import {
  Alert,
  Button,
  List,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { bodyOfErasure, type ErasureWish, erasureFault, wordOf } from './erasure-wish.ts';

const nothing: ErasureWish = { of: 'tenant', tenant: '', mentions: '' };

/** The form of an erasure. It explains the effect and starts after confirmation. */
export function NewErasure() {
  const { calls, key } = useApp();
  const [wish, setWish] = useState(nothing);
  const [isOpen, { open, close }] = useDisclosure();
  const erase = useChange({
    change: () => calls.erasures.create(bodyOfErasure(wish)),
    changes: [key],
    done: 'Erasure started.',
    onDone: () => {
      setWish(nothing);
      close();
    },
  });
  const fault = erasureFault(wish);
  return (
    <Stack gap="md" align="flex-start">
      <Fields wish={wish} setWish={setWish} />
      <Effects />
      <Button color="red" disabled={fault !== null} onClick={open}>
        Erase…
      </Button>
      <Confirm
        title="Erase permanently?"
        verb="Erase"
        word={wordOf(wish)}
        opened={isOpen}
        onClose={close}
        change={erase}
      >
        {wish.of === 'tenant' ? (
          <>
            This deletes the payloads of all past events of the tenant{' '}
            <Line text={wish.tenant.trim()} />
          </>
        ) : (
          'This deletes the payloads of all past events that name the user'
        )}{' '}
        and cancels their open deliveries. It cannot be undone.
      </Confirm>
    </Stack>
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
          description="One per line: every value that your payloads contain for the user, such as your ID, the ID of the user here, and the email address. Only whole values match."
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

function Effects() {
  return (
    <Alert color="yellow" variant="light" title="What is erased and what is kept" w="100%">
      <List size="sm" spacing={4}>
        <List.Item>
          Erased: the payloads of the events, and the responses of receivers. Open deliveries are
          cancelled.
        </List.Item>
        <List.Item>Kept: the events themselves, with their IDs, names, times and tenant.</List.Item>
        <List.Item>
          Not affected: agents, contexts, files and users, which have their own delete calls, and
          data that receivers already have.
        </List.Item>
      </List>
      <Text size="sm" mt="xs">
        Later events are stored as usual.
      </Text>
    </Alert>
  );
}
