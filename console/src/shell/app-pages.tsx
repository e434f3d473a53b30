import { Alert, Code, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { type App, appsQuery } from '../api/app.tsx';
import { AnchorLink } from '../parts/links.tsx';
import { Page } from '../parts/page.tsx';

/** The frame of an application's pages, for viewers who have a role in it. */
export function AppPages() {
  const { appUid } = useParams({ from: '/signed-in/apps/$appUid' });
  const { data: apps } = useSuspenseQuery(appsQuery);
  const app = apps.find(({ uid }) => uid === appUid);
  if (app !== undefined) {
    return (
      <>
        {!app.active && <Disabled app={app} />}
        <Outlet />
      </>
    );
  }
  return (
    <Page title="Application not found">
      <Text>
        The application does not exist, or you have no access to it. An owner of it can add you.{' '}
        <AnchorLink to="/apps">See your applications</AnchorLink>.
      </Text>
    </Page>
  );
}

function Disabled({ app: { role } }: { app: App }) {
  return (
    <Alert color="red" variant="light" title="This application is disabled" mb="lg">
      Calls with its API keys fail with <Code>403 app_disabled</Code>, and its users cannot sign in.
      Deliveries continue.{' '}
      {role === 'owner' ? (
        <>
          You can enable it in the list of{' '}
          <AnchorLink to="/apps" inherit c="inherit" underline="always">
            applications
          </AnchorLink>
          .
        </>
      ) : (
        'An owner can enable it.'
      )}
    </Alert>
  );
}
