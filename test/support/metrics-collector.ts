// A collector that receives metrics by OTLP and decodes them with the protocol's own description.
import protobuf from 'protobufjs';
import { type Receiver, startReceiver } from './receivers.ts';

// The part of opentelemetry-proto 1.x that is needed here.
const description = `
syntax = "proto3";
message Request { repeated ResourceMetrics resource_metrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeMetrics { repeated Metric metrics = 2; }
message Metric { string name = 1; string unit = 3; Numbers gauge = 5; Numbers sum = 7; Histogram histogram = 9; }
message Numbers { repeated Point data_points = 1; }
message Point { repeated KeyValue attributes = 7; double as_double = 4; sfixed64 as_int = 6; }
message Histogram { repeated HistogramPoint data_points = 1; }
message HistogramPoint { repeated KeyValue attributes = 9; fixed64 count = 4; }
message KeyValue { string key = 1; Value value = 2; }
message Value { string string_value = 1; int64 int_value = 3; double double_value = 4; }
`;
const requestType = protobuf.parse(description).root.lookupType('Request');

interface KeyValue {
  key: string;
  value: { stringValue?: string; intValue?: string; doubleValue?: number };
}

interface Point {
  attributes?: KeyValue[];
  asDouble?: number;
  asInt?: string;
  count?: string;
}

interface Metric {
  name: string;
  unit?: string;
  gauge?: { dataPoints: Point[] };
  sum?: { dataPoints: Point[] };
  histogram?: { dataPoints: Point[] };
}

export interface Pushed {
  path: string;
  headers: Readonly<Record<string, unknown>>;
  resource: Readonly<Record<string, unknown>>;
  units: ReadonlyMap<string, string>;
  /** By name: the values of the points, or the counts of histograms. */
  values: ReadonlyMap<string, number[]>;
}

export interface MetricsCollector extends Receiver {
  pushed: readonly Pushed[];
}

export async function startMetricsCollector(): Promise<MetricsCollector> {
  const pushed: Pushed[] = [];
  const receiver = await startReceiver((response, { path, headers, body }) => {
    pushed.push({ path, headers, ...decode(body) });
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  return { ...receiver, pushed };
}

function decode(bytes: Buffer): Omit<Pushed, 'path' | 'headers'> {
  const { resourceMetrics } = requestType.toObject(requestType.decode(bytes), {
    longs: String,
  }) as {
    resourceMetrics: {
      resource: { attributes: KeyValue[] };
      scopeMetrics: { metrics: Metric[] }[];
    }[];
  };
  const attributes = resourceMetrics.flatMap(({ resource }) => resource.attributes);
  const metrics = resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap((scope) => scope.metrics),
  );
  return {
    resource: Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)])),
    units: new Map(metrics.map(({ name, unit = '' }) => [name, unit])),
    values: new Map(metrics.map((metric) => [metric.name, pointsOf(metric).map(numberOf)])),
  };
}

function valueOf({ stringValue, intValue, doubleValue }: KeyValue['value']): unknown {
  return stringValue ?? intValue ?? doubleValue;
}

function pointsOf({ gauge, sum, histogram }: Metric): Point[] {
  return (gauge ?? sum ?? histogram)?.dataPoints ?? [];
}

function numberOf({ count, asInt, asDouble }: Point): number {
  return Number(count ?? asInt ?? asDouble ?? 0);
}
