import type { Delivery } from '@agent-herald/client';
import { Checkbox, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { useApp } from '../../api/app.tsx';
import { useKnownWebhooks } from '../../api/webhooks.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { deliveryColumns, keyOfDelivery } from './delivery-columns.tsx';
import { ResendSelected } from './resend-selected.tsx';

export type Keys = ReadonlySet<string>;

interface DeliveryTableProps {
  rows: readonly Delivery[];
  /** The keys of the selected rows. */
  keys: Keys;
  setKeys: (keys: Keys) => void;
}

/** A table of deliveries, which can be selected and resent. */
export function DeliveryTable({ rows: latest, keys, setKeys }: DeliveryTableProps) {
  // New rows are rendered in slices, between which the page responds. Up to 50 can arrive each second.
  const rows = useDeferredValue(latest);
  const { app, mayChange } = useApp();
  const webhooks = useKnownWebhooks();
  const navigate = useNavigate();
  const columns = deliveryColumns({ appUid: app.uid, webhooks });
  return (
    <Stack gap="sm">
      {mayChange && <ResendSelected {...{ rows, keys, setKeys }} />}
      <DataTable
        label="Deliveries"
        columns={mayChange ? [selection(keys, setKeys), ...columns] : columns}
        rows={rows}
        keyOf={keyOfDelivery}
        onOpen={({ eventId, webhookUid }) =>
          void navigate({
            to: '/apps/$appUid/deliveries/$eventId/$webhookUid',
            params: { appUid: app.uid, eventId, webhookUid },
          })
        }
      />
    </Stack>
  );
}

function selection(keys: Keys, setKeys: (keys: Keys) => void): Column<Delivery> {
  return {
    label: 'Select',
    cell: (delivery) => {
      const key = keyOfDelivery(delivery);
      return (
        <Checkbox
          aria-label={`Select ${delivery.event} ${delivery.eventId}`}
          checked={keys.has(key)}
          onChange={({ currentTarget: { checked } }) => {
            const others = [...keys].filter((one) => one !== key);
            setKeys(new Set(checked ? [...others, key] : others));
          }}
        />
      );
    },
  };
}
