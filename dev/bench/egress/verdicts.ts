import { createAddressGuard } from '../../../lib/egress/address-guard.ts';
import { defaultEgressPolicy } from '../../../lib/egress/egress-policy.ts';
import { checkWebhookUrl } from '../../../lib/egress/webhook-url.ts';

const measureMs = 2_000;

// Public IPv4 is the worst case: it passes the whole table.
const addresses = {
  'public IPv4': ['8.8.8.8', '1.1.1.1', '93.184.216.34', '172.32.0.1'],
  'public IPv6': ['2606:4700:4700::1111', '2a00:1450:4001:82b::200e', '2001:4860:4860::8888'],
  'refused IPv4': ['127.0.0.1', '10.0.0.1', '169.254.169.254', '255.255.255.255'],
  'refused IPv6': ['::1', '::ffff:127.0.0.1', 'fd00:ec2::254', '64:ff9b::a9fe:a9fe'],
};

const urls = [
  'https://hooks.example.com/agents?token=abc',
  'https://xn--mnich-kva.example.com/',
  'https://0x7f000001/',
  'https://[::ffff:127.0.0.1]/',
];

/** Returns verdicts a second of the address guard and the check of URLs. */
export function measureVerdicts(): Record<string, number> {
  const guard = createAddressGuard({ allowCidrs: ['10.1.0.0/16'], denyCidrs: ['203.0.112.0/24'] });
  const rates = Object.entries(addresses).map(([name, list]): [string, number] => [
    `addresses: ${name}`,
    ratePerSecond(list, (address) => guard.verdict(address).allowed),
  ]);
  const check = (url: string): boolean => checkWebhookUrl(url, defaultEgressPolicy).ok;
  return { ...Object.fromEntries(rates), 'webhook URLs': ratePerSecond(urls, check) };
}

function ratePerSecond(list: readonly string[], judge: (text: string) => boolean): number {
  const roundsAtOnce = 1_000;
  let verdicts = 0;
  let allowed = 0;
  const run = (durationMs: number): number => {
    const startedAt = performance.now();
    verdicts = 0;
    while (performance.now() - startedAt < durationMs) {
      for (let round = 0; round < roundsAtOnce; round += 1) {
        for (const text of list) allowed += judge(text) ? 1 : 0;
      }
      verdicts += roundsAtOnce * list.length;
    }
    return (verdicts * 1_000) / (performance.now() - startedAt);
  };
  run(measureMs / 4);
  const rate = run(measureMs);
  // Used, so that no compiler omits the verdicts.
  if (!Number.isInteger(allowed)) throw new Error('a verdict is neither yes nor no');
  return rate;
}
