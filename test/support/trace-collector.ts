// A collector of traces: a real HTTP server that receives OTLP as the service sends it.
import protobuf from 'protobufjs';
import { type Receiver, startReceiver } from './receivers.ts';
import { waitFor } from './wait-for.ts';

const schema = `
syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4;
  string name = 5; int32 kind = 6; fixed64 start = 7; fixed64 end = 8;
  repeated KeyValue attributes = 9; repeated Event events = 11; repeated Link links = 13;
  Status status = 15;
}
message Event { string name = 2; repeated KeyValue attributes = 3; }
message Link { bytes trace_id = 1; bytes span_id = 2; }
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; Value value = 2; }
message Value { oneof value { string text = 1; bool flag = 2; int64 whole = 3; double real = 4; } }
`;

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  traceState: string;
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** Milliseconds since the epoch. */
  startMs: number;
  endMs: number;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  isError: boolean;
  service: string;
}

export interface TraceCollector extends Receiver {
  /** Settings of a process that makes it send its traces here, without delay. */
  env: Record<string, string>;
  readonly spans: readonly CollectedSpan[];
  /** Everything that arrived, as bytes and as text. */
  text: () => string;
  /** Waits until that many spans have this name. */
  untilNamed: (name: string, count: number) => Promise<CollectedSpan[]>;
}

const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

interface Decoded {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: DecodedSpan[] }[];
  }[];
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

interface DecodedSpan extends Record<'traceId' | 'spanId' | 'parentSpanId', Uint8Array> {
  traceState: string;
  name: string;
  kind: number;
  start: string;
  end: string;
  attributes: Attribute[];
  links: Record<'traceId' | 'spanId', Uint8Array>[];
  status: { code: number } | null;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const request = protobuf.parse(schema).root.lookupType('Request');
  const spans: CollectedSpan[] = [];
  const receiver = await startReceiver((response, { body }) => {
    const options = { defaults: true, arrays: true, longs: String };
    spans.push(...spansOf(request.toObject(request.decode(body), options) as Decoded));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  return {
    ...receiver,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
    spans,
    text() {
      const bodies = receiver.requests.map(({ body }) => body.toString('latin1'));
      return bodies.join('\n') + JSON.stringify(spans);
    },
    async untilNamed(name, count) {
      const named = (): CollectedSpan[] => spans.filter((span) => span.name === name);
      await waitFor(() => named().length >= count, { what: `${count} spans "${name}"` });
      return named();
    },
  };
}

function spansOf({ resourceSpans }: Decoded): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => toCollected(span, service)));
  });
}

function toCollected(span: DecodedSpan, service: string): CollectedSpan {
  const { traceState, name, attributes, links, status } = span;
  return {
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: hex(span.parentSpanId),
    traceState,
    name,
    kind: kinds[span.kind] ?? 'internal',
    startMs: Number(span.start) / 1e6,
    endMs: Number(span.end) / 1e6,
    attributes: attributesOf(attributes),
    links: links.map((link) => ({ traceId: hex(link.traceId), spanId: hex(link.spanId) })),
    isError: status?.code === 2,
    service,
  };
}

function attributesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const { text, flag, whole, real } = value;
      return [key, text ?? flag ?? (whole === undefined ? real : Number(whole))];
    }),
  );
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
