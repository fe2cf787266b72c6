/**
 * Figures of a report as SVG text: black on white by classes that a page may restyle, no script and no font of its own, so
 * that they print as they are. Whatever they name is escaped.
 */

export interface Bar {
  label: string;
  value: number;
  /** Behind the bar; the value when it is absent. */
  note?: string;
  /** Bounds of an interval, on the same scale. */
  low?: number;
  high?: number;
}

const WIDTH = 640;
const LABEL = 190;
const NOTE = 210;
const ROW = 22;

const STYLE =
  'text{font:12px system-ui,sans-serif;fill:#1c2733}.faint{fill:#5a6672}.bar{fill:#3b6ea8}.line{stroke:#1c2733;stroke-width:1.5;fill:none}.axis{stroke:#b6bec6;stroke-width:1}';

/** Text as XML and HTML hold it. */
export function escaped(text: string): string {
  return text.replace(/[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (one) => {
    const code = one.charCodeAt(0);
    // XML has no way to write most control characters.
    return code < 32 ? '\ufffd' : `&#${code};`;
  });
}

/** Horizontal bars, one a line, with intervals where they have some. */
export function barFigure(title: string, bars: readonly Bar[], most?: number): string {
  const top = most ?? Math.max(1e-9, ...bars.map(({ value, high }) => Math.max(value, high ?? 0)));
  const room = WIDTH - LABEL - NOTE;
  const x = (value: number) => LABEL + (room * Math.min(value, top)) / top;
  const rows = bars.map(({ label, value, note, low, high }, index) => {
    const y = 30 + index * ROW;
    const shown = label.length > 28 ? `…${label.slice(-27)}` : label;
    const interval =
      low === undefined || high === undefined
        ? ''
        : `<path class="line" d="M${at(x(low))} ${y + 7}H${at(x(high))}M${at(x(low))} ${y + 3}v8M${at(x(high))} ${y + 3}v8"/>`;
    return [
      `<text x="${LABEL - 8}" y="${y + 11}" text-anchor="end">${escaped(shown)}<title>${escaped(label)}</title></text>`,
      `<rect class="bar" x="${LABEL}" y="${y}" width="${at(x(value) - LABEL)}" height="14"${interval === '' ? '' : ' opacity="0.55"'}/>`,
      interval,
      `<text class="faint" x="${at(x(Math.max(value, high ?? 0)) + 8)}" y="${y + 11}">${escaped(note ?? String(value))}</text>`,
    ].join('');
  });
  return figure(title, 38 + bars.length * ROW, rows.join(''));
}

const BINS = 24;

/** How often values occur, in at most two dozen steps of equal width. */
export function histogramFigure(title: string, values: readonly number[], unit: string): string {
  if (values.length === 0)
    return figure(title, 60, '<text class="faint" x="8" y="44">nothing to count</text>');
  let low = values[0]!;
  let high = values[0]!;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const isWhole = values.every(Number.isInteger);
  const step = Math.max(isWhole ? 1 : 1e-9, (high - low + (isWhole ? 1 : 0)) / BINS);
  const width = isWhole ? Math.ceil(step) : step;
  const counts = new Array<number>(Math.min(BINS, Math.max(1, Math.floor((high - low) / width) + 1))).fill(0);
  for (const value of values) counts[Math.min(counts.length - 1, Math.floor((value - low) / width))]! += 1;
  const most = Math.max(...counts);
  const room = WIDTH - 60;
  const bars = counts.map((count, index) => {
    const height = (120 * count) / most;
    const x = 40 + (room * index) / counts.length;
    const from = label(low + index * width);
    return `<rect class="bar" x="${at(x)}" y="${at(150 - height)}" width="${at(Math.max(1, room / counts.length - 1))}" height="${at(height)}"><title>from ${from} ${escaped(unit)}: ${count}</title></rect>`;
  });
  const axis = `<path class="axis" d="M40 150.5H${WIDTH - 20}"/><text class="faint" x="40" y="168">${label(low)}</text><text class="faint" x="${WIDTH - 20}" y="168" text-anchor="end">${label(high)} ${escaped(unit)}</text><text class="faint" x="34" y="40" text-anchor="end">${most}</text>`;
  return figure(title, 178, axis + bars.join(''));
}

function label(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

function figure(title: string, height: number, inside: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}"><style>${STYLE}</style><text x="8" y="18" font-weight="600">${escaped(title)}</text>${inside}</svg>`;
}

function at(value: number): string {
  return value.toFixed(1);
}
