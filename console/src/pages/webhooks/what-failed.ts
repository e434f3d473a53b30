import type { Webhook, WebhookFailure } from '@agent-herald/client';
import { visibleText } from '../../parts/visible-text.ts';
import { explainFailure } from '../deliveries/error-classes.ts';

/** Failures of the connection are of one host; responses are alike whoever sends them. */
const ofOneHost: readonly unknown[] = ['dns', 'connect', 'tls', 'blocked'];

export interface WhatFailed {
  /** Equal for webhooks that fail alike. */
  key: string;
  title: string;
  /** What to do about it. Null if no failed delivery is left that shows what went wrong. */
  remedy: string | null;
}

/** Returns what went wrong at a webhook's latest failure, and what to do about it. */
export function whatFailed(
  latest: WebhookFailure['latest'],
  { url }: Pick<Webhook, 'url'>,
): WhatFailed {
  const failure = latest === null ? null : explainFailure(latest);
  if (latest === null || failure === null)
    return { key: '', title: 'No failed delivery is left', remedy: null };
  const { errorClass, status, detail } = latest;
  const what = detail === null ? failure.what : detail.charAt(0).toUpperCase() + detail.slice(1);
  const host = ofOneHost.includes(errorClass) ? hostOf(url) : null;
  return {
    key: [errorClass, status, host, detail].join(' '),
    title: visibleText(host === null ? what : `${what}: ${host}`),
    remedy: failure.remedy,
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
