import { Text } from '@mantine/core';
import { AnchorLink } from '../parts/links.tsx';
import { Page } from '../parts/page.tsx';

export function NotFound() {
  return (
    <Page title="Page not found">
      <Text>
        The link may be outdated or mistyped.{' '}
        <AnchorLink to="/" inherit underline="always">
          Go to the home page
        </AnchorLink>
        .
      </Text>
    </Page>
  );
}
