import type { Event, ExplainedWebhook } from '@agent-herald/client';
import { visibleText } from '../../parts/visible-text.ts';

type Explained = Pick<ExplainedWebhook, 'outcome' | 'condition'>;
type Missed = Pick<Event, 'event' | 'externalTenantId'>;

type Reasons = Readonly<Record<Explained['outcome'], string | null>>;

/** Returns the sentence that says why a webhook did not get an event; null if it has a delivery. */
export function missedReason({ outcome, condition }: Explained, event: Missed): string | null {
  const { event: name, externalTenantId } = event;
  const entity = name.slice(0, name.indexOf('.'));
  const reasons: Reasons = {
    delivery: null,
    test: 'A test goes only to the webhook that it tests.',
    sync: 'The event of a sync goes only to its webhook.',
    created_later: 'It was created after the event.',
    kind: `It does not get events like ${name}, or the event is about this webhook.`,
    entity: `It does not get events of the entity “${entity}”.`,
    event: `It does not get “${name}”, only other events of the entity.`,
    tenant: `It does not get events of the tenant “${visibleText(externalTenantId)}”.`,
    filter: `The event does not meet this condition of its filter: ${conditionText(condition)}.`,
    erased: 'The payload was erased, so its filter cannot be checked.',
    changed_later:
      'It gets such events now. It was changed after the event, or created just before it.',
  };
  return reasons[outcome];
}

const shownCharacters = 200;

function conditionText(condition: Explained['condition']): string {
  return Object.entries(condition ?? {})
    .map(([path, is]) => {
      const wanted = [is]
        .flat()
        .map((value) => JSON.stringify(value))
        .join(' or ');
      const short =
        wanted.length > shownCharacters ? `${wanted.slice(0, shownCharacters)}…` : wanted;
      return visibleText(`${path} is ${short}`);
    })
    .join(', ');
}
