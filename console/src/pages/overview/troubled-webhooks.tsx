import type { Webhook } from '@agent-herald/client';
import { Alert, Button, Divider, Group, Stack, Text } from '@mantine/core';
import { createContext, Fragment, lazy, type ReactNode, Suspense, use } from 'react';
import { useApp } from '../../api/app.tsx';
import { webhookLabel } from '../../api/webhooks.ts';
import { AnchorLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useDialog } from '../../parts/use-dialog.tsx';
import { AtTime, When } from '../../parts/when.tsx';
import { formatHeld } from '../../statistics/outcomes.ts';
import type { RepairStep } from '../webhooks/repair-dialog.tsx';
import { isTroubled, useFailures } from '../webhooks/use-failures.ts';
import { stateOf } from '../webhooks/webhook-state.ts';
import { type Cause, causesOf } from './causes.ts';

const webhooksShown = 3;

const RepairDialog = lazy(async () => {
  const { RepairDialog: Dialog } = await import('../webhooks/repair-dialog.tsx');
  return { default: Dialog };
});

const openStep = createContext<(step: RepairStep) => void>(() => undefined);

/** The webhooks that need attention, by what goes wrong. */
export function TroubledWebhooks({ webhooks }: { webhooks: readonly Webhook[] }) {
  const troubled = webhooks.filter(isTroubled);
  const failures = useFailures(troubled);
  // Here, so that a test which succeeds does not close its own dialog.
  const dialog = useDialog<RepairStep>();
  const isAnyDown = troubled.some(({ active }) => !active);
  const noun = troubled.length === 1 ? 'webhook needs' : 'webhooks need';
  return (
    <openStep.Provider value={dialog.open}>
      {troubled.length > 0 && (
        <Alert
          color={isAnyDown ? 'red' : 'yellow'}
          variant="light"
          title={`${troubled.length} ${noun} attention`}
          role="region"
        >
          <Loaded query={failures}>
            {(loaded) => (
              <Causes all={causesOf(loaded.failures, troubled)} count={troubled.length} />
            )}
          </Loaded>
        </Alert>
      )}
      <Suspense>
        {dialog.of((step, opened) => (
          <RepairDialog {...step} {...opened} />
        ))}
      </Suspense>
    </openStep.Provider>
  );
}

function Causes({ all, count }: { all: readonly Cause[]; count: number }) {
  const left = count - all.reduce((sum, { webhooks }) => sum + webhooks.length, 0);
  return (
    <Stack gap="md">
      {all.map((cause, index) => (
        <Fragment key={cause.key}>
          {index > 0 && <Divider />}
          <CauseOfFailures cause={cause} />
        </Fragment>
      ))}
      {left > 0 && <More>{`and ${left} more ${left === 1 ? 'webhook' : 'webhooks'}`}</More>}
    </Stack>
  );
}

/** Leads to the list of failing webhooks. */
function More({ children }: { children: ReactNode }) {
  const { app } = useApp();
  return (
    <AnchorLink
      to="/apps/$appUid/webhooks"
      params={{ appUid: app.uid }}
      search={{ state: 'failing' }}
      c="inherit"
      underline="always"
      size="sm"
    >
      {children}
    </AnchorLink>
  );
}

function CauseOfFailures({ cause }: { cause: Cause }) {
  const { app, mayChange } = useApp();
  const { title, remedy, failed, since, change, webhooks } = cause;
  const open = use(openStep);
  const left = webhooks.length - webhooksShown;
  const [first] = webhooks;
  return (
    <Stack gap={6} role="group" aria-label={title}>
      <Text fw={600}>
        {title}
        {since !== null && (
          <Text span inherit fw={400}>
            {webhooks.length === 1 ? ', since ' : `, ${webhooks.length} webhooks, since `}
            <When at={since} />
          </Text>
        )}
      </Text>
      {change !== null && (
        <Text size="sm">
          Likely reason: {change.text} <AtTime at={change.at} />.
        </Text>
      )}
      {failed !== null && (
        <Text size="sm">
          {remedy}{' '}
          <AnchorLink
            to="/apps/$appUid/deliveries/$eventId/$webhookUid"
            params={{ appUid: app.uid, ...failed }}
            underline="always"
            c="inherit"
          >
            See the latest failure
          </AnchorLink>
        </Text>
      )}
      {webhooks.slice(0, webhooksShown).map((webhook) => (
        <Troubled key={webhook.uid} webhook={webhook} />
      ))}
      {left > 0 && <More>{`and ${left} more with this cause`}</More>}
      {mayChange && first !== undefined && webhooks.length > 1 && (
        <Button
          variant="default"
          size="compact-sm"
          w="fit-content"
          aria-label={`Recover all: ${title}`}
          onClick={() => open({ name: 'recover', webhook: first, group: webhooks })}
        >
          Recover all {webhooks.length}
        </Button>
      )}
    </Stack>
  );
}

function Troubled({ webhook }: { webhook: Webhook }) {
  const { app, mayChange } = useApp();
  const { uid, active, deactivatesAt, heldCount } = webhook;
  const state = stateOf(webhook);
  const open = use(openStep);
  const label = webhookLabel(webhook);
  const step = (name: RepairStep['name'], verb: string) => (
    <Button
      variant={verb === 'Recover' ? 'default' : 'filled'}
      size="compact-sm"
      aria-label={`${verb}: ${label}`}
      onClick={() => open({ name, webhook })}
    >
      {verb}
    </Button>
  );
  return (
    <Group gap="xs">
      <AnchorLink
        to="/apps/$appUid/webhooks/$webhookUid"
        params={{ appUid: app.uid, webhookUid: uid }}
        fw={600}
        c="inherit"
        underline="always"
      >
        <Line text={label} />
      </AnchorLink>
      <Tag color={state.color}>{state.name}</Tag>
      {mayChange && (
        <>
          {active && step('test', 'Test')}
          {step('recover', active ? 'Recover' : 'Resume')}
        </>
      )}
      <Text size="sm">
        {deactivatesAt !== null && (
          <>
            It will be deactivated <AtTime at={deactivatesAt} />, unless an attempt succeeds.{' '}
          </>
        )}
        {heldCount > 0 && `${formatHeld(heldCount)} held.`}
      </Text>
    </Group>
  );
}
