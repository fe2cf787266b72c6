/** Counters of a server, and the text form in which Prometheus reads them. */

export interface Gauge {
  name: string;
  help: string;
  values: readonly { labels?: Readonly<Record<string, string>>; value: number }[];
  type?: 'gauge' | 'counter';
}

export class Requests {
  readonly #counts = new Map<string, { route: string; status: number; count: number; seconds: number }>();

  readonly served = (route: string, status: number, seconds: number): void => {
    const key = `${status} ${route}`;
    const entry = this.#counts.get(key) ?? { route, status, count: 0, seconds: 0 };
    entry.count += 1;
    entry.seconds += seconds;
    this.#counts.set(key, entry);
  };

  gauges(prefix: string): Gauge[] {
    const entries = [...this.#counts.values()];
    const labels = ({ route, status }: (typeof entries)[number]) => ({ route, status: String(status) });
    return [
      {
        name: `${prefix}_requests_total`,
        help: 'Requests that were answered.',
        type: 'counter',
        values: entries.map((entry) => ({ labels: labels(entry), value: entry.count })),
      },
      {
        name: `${prefix}_request_seconds_total`,
        help: 'Seconds from the head of a request to its answer.',
        type: 'counter',
        values: entries.map((entry) => ({ labels: labels(entry), value: entry.seconds })),
      },
    ];
  }
}

export function metricsText(gauges: readonly Gauge[]): string {
  return gauges
    .flatMap(({ name, help, type = 'gauge', values }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...values.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}
