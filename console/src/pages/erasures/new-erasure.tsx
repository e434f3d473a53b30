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

/** Asks whom to erase, says what that does, and begins once it is confirmed. */
export function NewErasure() {
  const { calls, key } = useApp();
  const [wish, setWish] = useState(nothing);
  const [isOpen, { open, close }] = useDisclosure();
  const erase = useChange({
    change: () => calls.erasures.create(bodyOfErasure(wish)),
    changes: [key],
    done: 'The erasure has begun.',
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
        title="Erase for good?"
        verb="Erase"
        word={wordOf(wish)}
        opened={isOpen}
        onClose={close}
        change={erase}
      >
        {wish.of === 'tenant' ? (
          <>
            The payloads of all events of the tenant <Line text={wish.tenant.trim()} /> until now
          </>
        ) : (
          'The payloads of all events until now that name the user'
        )}{' '}
        are deleted, and what is still to be sent of them is cancelled. Nobody can undo it.
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
          description="Its externalTenantId, compared exactly"
          value={wish.tenant}
          onChange={(event) => setWish({ ...wish, tenant: event.currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
          w="100%"
          maw={460}
        />
      ) : (
        <Textarea
          label="Names of the user"
          description="One a line: each name that your payloads have for the user, such as your id, the uid of the user here, and the e-mail. Only whole values match."
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
    <Alert color="yellow" variant="light" title="What is erased, and what stays" w="100%">
      <List size="sm" spacing={4}>
        <List.Item>
          Erased: the payloads of their events, and what receivers answered to them. Deliveries that
          are still open are cancelled.
        </List.Item>
        <List.Item>
          Stays: the events themselves, with their ids, names, times and tenant.
        </List.Item>
        <List.Item>
          Not touched: agents, contexts, files and users, which have calls of their own, and what
          receivers already have.
        </List.Item>
      </List>
      <Text size="sm" mt="xs">
        Events that come later are kept as usual.
      </Text>
    </Alert>
  );
}
