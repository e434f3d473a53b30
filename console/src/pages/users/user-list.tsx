import { Page } from '../../parts/page.tsx';

export function UserList() {
  return <Page title="Users">…</Page>;
}
