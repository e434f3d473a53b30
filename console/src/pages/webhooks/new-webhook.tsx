import type { WebhookWithSecret } from '@agent-herald/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { secretAbout } from './secret-about.ts';
import { useEventTypes } from './use-event-types.ts';
import { WebhookFields } from './webhook-form.tsx';
import { bodyOf, newValues, type WebhookValues } from './webhook-values.ts';

/** Creates a webhook and shows its secret once. */
export function NewWebhook() {
  const { app, calls, key, mayChange } = useApp();
  const navigate = useNavigate();
  const { kind } = useSearch({ from: '/signed-in/apps/$appUid/webhooks/new' });
  const types = useEventTypes();
  const [created, setCreated] = useState<WebhookWithSecret | null>(null);
  const create = useChange({
    change: (values: WebhookValues) => calls.webhooks.create(bodyOf(values, types.data ?? [])),
    changes: [[...key, 'webhooks']],
    onDone: (webhook) => {
      create.reset();
      setCreated(webhook);
    },
  });
  if (!mayChange) {
    return (
      <Page title="Create a webhook">
        <Empty title="You have read-only access">
          An owner of the application can give you the role admin.
        </Empty>
      </Page>
    );
  }
  return (
    <Page
      title="Create a webhook"
      about="The service sends a signed request to your receiver for each change from now on."
    >
      <Loaded query={types}>
        {(loaded) => (
          <WebhookFields
            initial={newValues(loaded, kind === 'operations' ? kind : 'resources')}
            types={loaded}
            webhook={null}
            verb="Create webhook"
            save={create}
          />
        )}
      </Loaded>
      <ShownOnce
        title="The secret of the webhook"
        about={secretAbout}
        secret={created?.secret ?? null}
        onSaved={() =>
          void navigate({
            to: '/apps/$appUid/webhooks/$webhookUid',
            params: { appUid: app.uid, webhookUid: created?.uid ?? '' },
            ignoreBlocker: true,
          })
        }
      />
    </Page>
  );
}
