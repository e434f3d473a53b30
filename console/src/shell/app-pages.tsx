import { Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { appsQuery } from '../api/app.tsx';
import { AnchorLink } from '../parts/links.tsx';
import { Page } from '../parts/page.tsx';

/** The place of the pages of an application, for those who may see it. */
export function AppPages() {
  const { appUid } = useParams({ from: '/signed-in/apps/$appUid' });
  const { data: apps } = useSuspenseQuery(appsQuery);
  if (apps.some(({ uid }) => uid === appUid)) return <Outlet />;
  return (
    <Page title="There is no such application">
      <Text>
        There is no such application, or you may not see it: an owner of it can add you.{' '}
        <AnchorLink to="/apps">See your applications</AnchorLink>.
      </Text>
    </Page>
  );
}
