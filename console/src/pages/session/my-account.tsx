import { Page } from '../../parts/page.tsx';

export function MyAccount() {
  return <Page title="Your account">…</Page>;
}
