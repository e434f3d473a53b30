import { Card, List, Stack, Text, Title } from '@mantine/core';
import { useApp } from '../../api/app.tsx';
import { AnchorLink } from '../../parts/links.tsx';

/** Replaces the numbers in a new application: how to get started. */
export function FirstSteps() {
  const { app, mayChange } = useApp();
  const params = { appUid: app.uid };
  return (
    <Card withBorder padding="xl" component="section" aria-label="First steps" maw={640}>
      <Stack>
        <div>
          <Title order={2} size="h3">
            No events sent yet
          </Title>
          <Text c="dimmed">Three steps to your first delivery.</Text>
        </div>
        <List type="ordered" spacing="sm">
          <List.Item>
            {mayChange ? (
              <AnchorLink to="/apps/$appUid/keys" params={params}>
                Create a key
              </AnchorLink>
            ) : (
              'An admin creates a key'
            )}{' '}
            that your back end uses to make changes.
          </List.Item>
          <List.Item>
            {mayChange ? (
              <AnchorLink to="/apps/$appUid/webhooks/new" params={params}>
                Register a webhook
              </AnchorLink>
            ) : (
              'An admin registers a webhook'
            )}
            : your endpoint that receives the events.
          </List.Item>
          <List.Item>
            Make a change, such as creating an agent, and find it under{' '}
            <AnchorLink to="/apps/$appUid/events" params={params}>
              events
            </AnchorLink>{' '}
            and{' '}
            <AnchorLink to="/apps/$appUid/deliveries" params={params}>
              deliveries
            </AnchorLink>
            .
          </List.Item>
        </List>
      </Stack>
    </Card>
  );
}
