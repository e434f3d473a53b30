import { Text } from '@mantine/core';
import { AnchorLink } from '../parts/links.tsx';
import { Page } from '../parts/page.tsx';

export function NotFound() {
  return (
    <Page title="There is no such page">
      <Text>
        The link may be old, or mistyped.{' '}
        <AnchorLink to="/" inherit underline="always">
          Go to the beginning
        </AnchorLink>
        .
      </Text>
    </Page>
  );
}
