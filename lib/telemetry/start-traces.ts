// Loaded only if traces are recorded.
import { setTimeout as sleep } from 'node:timers/promises';
import { context, propagation, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { Resource } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import { processLog } from '../platform/logger.ts';
import { ShareSampler } from './sampler.ts';

export interface TraceSettings {
  /** The share of new traces, above 0 and up to 1. */
  share: number;
}

/** Sends a share of traces by OTLP (`OTEL_*`). Returns a function that stops it and sends the remaining spans. */
export function startTraces(
  { share }: TraceSettings,
  { resource, flushTimeoutMs }: { resource: Resource; flushTimeoutMs: number },
): () => Promise<void> {
  const own = new ShareSampler(share);
  const provider = new NodeTracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: own, remoteParentNotSampled: own }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return async () => {
    for (const global of [trace, context, propagation]) global.disable();
    const late = sleep(flushTimeoutMs, undefined, { ref: false }).then(() => {
      throw new Error('the collector did not accept the last spans in time');
    });
    await Promise.race([provider.shutdown(), late]).catch((error: unknown) => {
      processLog.warn({ err: error }, 'telemetry.not_flushed');
    });
    late.catch(() => undefined);
  };
}
