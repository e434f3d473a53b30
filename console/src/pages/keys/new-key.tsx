import type { CreatedApiKey } from '@agent-herald/client';
import { Stack, Text } from '@mantine/core';
import { useApp } from '../../api/app.tsx';
import { serviceUrl } from '../../api/client.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { firstCurl } from './first-curl.ts';

/** A newly generated key, with an example call. */
export function NewKey({ made, onSaved }: { made: CreatedApiKey | null; onSaved: () => void }) {
  const { app } = useApp();
  return (
    <ShownOnce
      title={made === null ? 'API key' : `API key ${visibleText(made.name)}`}
      about="Store the key with the other secrets of your back end, never in a browser or an app."
      secret={made?.apiKey ?? null}
      onSaved={onSaved}
    >
      {made !== null && (
        <Stack gap={4}>
          <Text size="sm">Try it:</Text>
          <Copyable
            copy="Copy the call"
            text={firstCurl({ ...made, serviceUrl, appUid: app.uid })}
          />
        </Stack>
      )}
    </ShownOnce>
  );
}
