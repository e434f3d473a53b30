import type { Webhook } from '@agent-herald/client';
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { useEventTypes } from './use-event-types.ts';
import { WebhookFields } from './webhook-form.tsx';
import { changesOf, valuesOf, type WebhookValues } from './webhook-values.ts';

/** The form to change a webhook. */
export function WebhookSettings({ webhook }: { webhook: Webhook }) {
  const { app, calls, key } = useApp();
  const types = useEventTypes();
  // The initial values, so that concurrent changes by others are not overwritten.
  const [before, setBefore] = useState(webhook);
  const change = useChange({
    change: (values: WebhookValues) =>
      calls.webhooks.change(webhook.uid, changesOf(before, values, types.data ?? [])),
    changes: [[...key, 'webhooks']],
    done: 'Saved. The change applies from the next attempt.',
    onDone: (changed) => {
      change.reset();
      setBefore(changed);
    },
  });
  return (
    <Loaded query={types}>
      {(loaded) => (
        <Stack>
          <WebhookFields
            key={before.updatedAt}
            initial={valuesOf(before, loaded)}
            types={loaded}
            webhook={before}
            verb="Save"
            save={change}
          />
          {before.kind === 'resources' && (
            <Text size="sm">
              Changed settings apply to new events.{' '}
              <AnchorLink
                to="/apps/$appUid/replays/new"
                params={{ appUid: app.uid }}
                search={{ webhookUid: before.uid, missed: 'true' }}
                underline="always"
              >
                Replay missed events
              </AnchorLink>{' '}
              to send earlier ones that the webhook gets now.
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
