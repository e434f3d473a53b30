// What the search offers.
import type { NavigateOptions } from '@tanstack/react-router';
import type { Webhook } from '@agent-herald/client';
import { webhookLabel } from '../api/webhooks.ts';
import { pagesOf } from '../parts/pages-of.ts';
import { matchingWebhooks } from '../parts/matching-webhooks.ts';
import { stateOf } from '../pages/webhooks/webhook-state.ts';
import { leadsOf, type Named } from './leads.ts';
import { pagesOfApp } from './pages.ts';

export interface Finding {
  id: string;
  label: string;
  /** Text that tells it from others with the same label. */
  detail: string;
  /** A page, or a path of the console. */
  link: NavigateOptions | string;
}

export interface FindingGroup {
  name: string;
  findings: readonly Finding[];
  /** True if there are more than these. */
  isCut: boolean;
}

export const findingsMax = 5;

export function groupOf(name: string, findings: readonly Finding[]): FindingGroup {
  return { name, findings: findings.slice(0, findingsMax), isCut: findings.length > findingsMax };
}

export function findPages(text: string, appUid: string): FindingGroup {
  const findings = pagesOfApp
    .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
    .map(({ label, to }) => ({ id: to, label, detail: '', link: { to, params: { appUid } } }));
  return { name: 'Pages', findings, isCut: false };
}

interface NamedApp {
  uid: string;
  name: string;
}

export function findApps(text: string, apps: readonly NamedApp[]): FindingGroup {
  const wanted = text.toLowerCase();
  const found = apps.filter(
    ({ uid, name }) => uid === wanted || name.toLowerCase().includes(wanted),
  );
  const findings = found.map(({ uid: appUid, name }) => {
    const link = { to: '/apps/$appUid', params: { appUid } } as const;
    return { id: appUid, label: name, detail: appUid, link };
  });
  return groupOf('Applications', findings);
}

export function findWebhooks(
  text: string,
  webhooks: readonly Webhook[],
  appUid: string,
): FindingGroup {
  const findings = matchingWebhooks(webhooks, text).map((webhook) => ({
    id: webhook.uid,
    label: webhookLabel(webhook),
    detail: `${stateOf(webhook).name}, ${webhook.url}`,
    link: pagesOf(appUid, webhook.uid).webhook,
  }));
  return groupOf('Webhooks', findings);
}

export function findNamed(named: Named, appUid: string): FindingGroup {
  const detail = named.kind === 'delivery' ? named.eventId : named.uid;
  const findings = leadsOf(named, appUid).map(({ label, ...link }) => {
    return { id: label, label, detail, link };
  });
  return { name: 'By its ID', findings, isCut: false };
}
