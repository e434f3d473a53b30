import { Page } from '../../parts/page.tsx';

export function MemberList() {
  return <Page title="Members">…</Page>;
}
