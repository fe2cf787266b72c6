/** The first page: results of the project, where instances were lost, and what runs now. */
import { graphlib, layout } from '@dagrejs/dagre';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { doubtsText, intervalText } from '../../basics/rates.ts';
import type { LiveRun, Overview as OverviewData, StageBox } from '../shapes.ts';
import { type Live, useData } from './data.ts';
import { CountsBar, itemPage, Nothing, Section, STATUSES, Status, Waiting } from './parts.tsx';
import { linkTo } from './route.ts';
import { ago, count, duration, itemParts, percent, plural, short, since } from './text.ts';

export function Overview({ live }: { live: Live }) {
  const data = useData<OverviewData>('/api/overview');
  return (
    <Waiting data={data}>
      {(value) => (
        <>
          <h1 class="unseen">{value.project}</h1>
          {value.problem !== null && (
            <pre class="note is-bad" role="alert">
              {`${value.problem}\nThe page shows the last state.`}
            </pre>
          )}
          <Running run={live.run ?? value.run} isNew={!value.stages.some(hasAnswers)} />
          <Columns value={value} />
        </>
      )}
    </Waiting>
  );
}

/** Drawn again only with new data, and not whenever the run continued. */
function Columns({ value }: { value: OverviewData }) {
  return useMemo(
    () => (
      <div class="columns">
        <div>
          <Section title="Stages" note={plural(value.stages.length, 'stage')}>
            <StageGraph stages={value.stages} />
          </Section>
        </div>
        <div>
          <Funnels value={value} />
          <Results value={value} />
          <Evaluations value={value} />
          <Numbers value={value} />
        </div>
      </div>
    ),
    [value],
  );
}

function hasAnswers({ counts }: StageBox): boolean {
  return Object.values(counts).some((many) => many > 0);
}

function Running({ run, isNew }: { run: LiveRun | null; isNew: boolean }) {
  const [now, setNow] = useState(Date.now());
  const receivedAt = useMemo(() => Date.now(), [run]);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  if (run === null)
    return <Nothing>{isNew ? 'No build has run yet.' : 'No journal of a build is kept here.'}</Nothing>;
  const isLive = run.state === 'running';
  const left = run.eta === null ? null : run.eta - Math.max(0, now - receivedAt);
  return (
    <section class={`run is-${run.state}`} aria-label="newest run">
      <div class="run-line">
        <strong>
          <i aria-hidden="true" class="dot" />
          {RUN_WORDS[run.state]}
        </strong>
        <span>{isLive ? `for ${since(run.startedAt)}` : ago(run.lastAt)}</span>
        <span>{plural(run.executed, 'action')} run</span>
        {STATUSES.filter((status) => run.counts[status] > 0).map((status) => (
          <span key={status} class={`status is-${status}`}>
            <i aria-hidden="true" />
            {`${count(run.counts[status])} ${status}`}
          </span>
        ))}
        {left !== null && left > 0 && <span>about {duration(left)} left</span>}
        <span class="faint mono push">{run.run}</span>
      </div>
      {isLive && (
        <ul class="now">
          {run.stages
            .filter(({ running }) => running > 0)
            .map(({ stage, items, done, running }) => (
              <li key={stage}>
                <span class="mono">{stage}</span>
                <progress
                  value={done}
                  max={items ?? Math.max(1, done + running)}
                  aria-label={`${stage}: ${done} ended`}
                />
                <span class="faint">
                  {count(done)} ended, {running} running
                </span>
              </li>
            ))}
          {run.running.slice(0, 6).map(({ item, since: at }) => (
            <li key={item} class="faint">
              <a class="mono" href={itemPage(item)}>
                {item}
              </a>
              <span>{since(at)}</span>
            </li>
          ))}
        </ul>
      )}
      {run.failures.length > 0 && (
        <details open={isLive}>
          <summary>{`the last ${run.failures.length === 1 ? 'end' : `${run.failures.length} ends`} that were not ok`}</summary>
          <ul class="failures">
            {run.failures.slice(0, 12).map(({ item, status, reason, detail }) => (
              <li key={item}>
                <Status status={status} reason={reason} />
                <a class="mono" href={itemPage(item)}>
                  {itemParts(item)[1] || item}
                </a>
                <span class="faint cut" title={detail}>
                  {detail}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

const RUN_WORDS: Readonly<Record<LiveRun['state'], string>> = {
  running: 'a build runs',
  ended: 'the last build came to its end',
  dead: 'the last build was killed; finished work is kept',
  unknown: 'the last build wrote no end',
};

const BOX = { width: 224, height: 44 };

function StageGraph({ stages }: { stages: readonly StageBox[] }) {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: 16, ranksep: 22, marginx: 2, marginy: 2 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { address } of stages) graph.setNode(address, { ...BOX });
  const known = new Set(stages.map(({ address }) => address));
  // A line is left out if a path over other stages connects the same two.
  const inputs = new Map(
    stages.map(({ address, inputs: own }) => [address, own.filter((one) => known.has(one))]),
  );
  const leads = (from: string, to: string): boolean =>
    (inputs.get(to) ?? []).some((one) => one === from || leads(from, one));
  const edges = [...inputs].flatMap(([to, own]) =>
    own
      .filter((from) => !own.some((other) => other !== from && leads(from, other)))
      .map((from) => [from, to] as const),
  );
  for (const [from, to] of edges) graph.setEdge(from, to);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return (
    <div class="graph">
      <div class="graph-inner" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
          {edges.map(([from, to]) => {
            const { points } = graph.edge(from, to) as unknown as { points: { x: number; y: number }[] };
            return <path key={`${from} ${to}`} d={curve(points)} />;
          })}
        </svg>
        <ul>
          {stages.map((stage) => {
            const node = graph.node(stage.address) as unknown as { x: number; y: number };
            const style = {
              left: `${node.x - BOX.width / 2}px`,
              top: `${node.y - BOX.height / 2}px`,
              width: `${BOX.width}px`,
              height: `${BOX.height}px`,
            };
            return (
              <li key={stage.address} style={style}>
                <StageLink stage={stage} />
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}

function StageLink({ stage }: { stage: StageBox }) {
  const { address, items, counts, toRun, why } = stage;
  const isOpen = items === null;
  return (
    <a href={stageLink(stage)} class={`stage${isOpen ? ' is-open' : ''}`} title={why} data-nav>
      <span class="name">{address}</span>
      <span class="many">
        {isOpen ? 'waits' : count(items)}
        {toRun > 0 && <b>{` · ${count(toRun)} to run`}</b>}
      </span>
      <CountsBar counts={counts} of={items ?? 0} />
    </a>
  );
}

function stageLink({ stage, dataset, address }: StageBox): string {
  if (stage === 'validate' || stage === 'dataset' || stage === 'rollouts' || stage === 'grade')
    return linkTo('instances', {
      dataset,
      ...(stage === 'dataset' || stage === 'validate' ? {} : { reached: 'rolled out' }),
    });
  return stage === 'environments' ? linkTo('environments') : linkTo('why', { item: address });
}

function curve(points: readonly { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1)!;
  const middle = (first!.y + last.y) / 2;
  return `M${first!.x} ${first!.y}C${first!.x} ${middle} ${last.x} ${middle} ${last.x} ${last.y}`;
}

function Funnels({ value }: { value: OverviewData }) {
  return (
    <>
      {value.funnels.map(({ dataset, steps }) => {
        const most = Math.max(1, steps[0]?.count ?? 0);
        return (
          <Section key={dataset} title={`Instances of ${dataset}`} note="from read to trained on">
            <ol class="funnel">
              {steps.map(({ name, count: own }, index) => {
                const lost = index === 0 ? 0 : steps[index - 1]!.count - own;
                return (
                  <li key={name}>
                    <a href={linkTo('instances', { dataset, reached: index === 0 ? '' : name })} data-nav>
                      <span class="name">{name}</span>
                      <span class="track">
                        <i style={{ width: `${(100 * own) / most}%` }} />
                      </span>
                      <span class="number">{count(own)}</span>
                    </a>
                    {lost > 0 ? (
                      <a
                        class="lost"
                        href={linkTo('instances', { dataset, lost: name })}
                        aria-label={`−${count(lost)}: not ${name}`}
                      >
                        −{count(lost)}
                      </a>
                    ) : (
                      <span class="lost" />
                    )}
                  </li>
                );
              })}
            </ol>
          </Section>
        );
      })}
    </>
  );
}

function Results({ value }: { value: OverviewData }) {
  if (value.results.length === 0) return null;
  const rows = value.results.map(({ stage, who, graded, rollouts, rate }) => ({
    ...{ name: who === '' ? 'samples' : who, address: stage, rate, counted: graded },
    all: graded < rollouts ? rollouts : null,
  }));
  return (
    <Section title="Resolved" note="95 % intervals by instance">
      <RateTable heads={['rollouts of', 'graded']} rows={rows} />
      <p class="under">
        <a href={linkTo('compare')}>compare two of them</a>
      </p>
    </Section>
  );
}

function Evaluations({ value }: { value: OverviewData }) {
  if (value.evaluations.length === 0) return null;
  const rows = value.evaluations.map(({ name, dataset, rate }) => ({
    ...{ name, address: `evaluate.${dataset}`, rate, counted: rate.total, all: null },
  }));
  return (
    <Section title="Evaluation" note="of all instances, 95 % intervals by instance">
      <RateTable heads={['model', 'instances']} rows={rows} />
    </Section>
  );
}

interface RateRow {
  name: string;
  /** The stage. */
  address: string;
  rate: OverviewData['results'][number]['rate'];
  /** What the rate is of. */
  counted: number;
  /** How many there are, where some do not count; else null. */
  all: number | null;
}

function RateTable({ heads: [first, second], rows }: { heads: [string, string]; rows: RateRow[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          <th scope="col" class="right">
            {second}
          </th>
          <th scope="col" class="right">
            resolved of them
          </th>
          <th scope="col">interval</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, address, rate, counted, all }) => (
          <tr key={`${address} ${name}`}>
            <td>
              {name} <small>{address}</small>
            </td>
            <td class="right">
              {count(counted)}
              {all !== null && <span class="faint"> of {count(all)}</span>}
            </td>
            <td class="right">
              {percent(rate.rate)}
              {rate.doubts !== undefined && <small> {doubtsText(rate)}</small>}
            </td>
            <td>
              <Interval rate={rate} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Interval({ rate }: Pick<RateRow, 'rate'>) {
  const { rate: value, low, high } = rate;
  if (value === null || low === null || high === null) return <span class="faint">–</span>;
  return (
    <span class="interval" title={intervalText(rate)}>
      <span class="unseen">{intervalText(rate)}</span>
      <i
        class="reach"
        style={{ left: `${100 * low}%`, width: `${100 * (high - low)}%` }}
        aria-hidden="true"
      />
      <i class="at" style={{ left: `${100 * value}%` }} aria-hidden="true" />
    </span>
  );
}

function Numbers({ value }: { value: OverviewData }) {
  const { tally, endpoints } = value;
  const isPart = tally.read < tally.of;
  return (
    <Section
      title="Numbers"
      note={isPart ? `read so far: ${count(tally.read)} of ${count(tally.of)} answers` : undefined}
    >
      <dl class="figures">
        <div>
          <dt>prompt tokens</dt>
          <dd>{short(tally.promptTokens)}</dd>
        </div>
        <div>
          <dt>written tokens</dt>
          <dd>{short(tally.completionTokens)}</dd>
        </div>
        <div>
          <dt>US dollars</dt>
          <dd>{tally.cost === null ? '–' : tally.cost.toFixed(2)}</dd>
        </div>
        <div>
          <dt>
            <a href={linkTo('time')}>answers</a>
          </dt>
          <dd>{short(tally.of)}</dd>
        </div>
      </dl>
      <CountList title="How rollouts ended" list={tally.exits} />
      <CountList
        title="Findings"
        list={tally.findings}
        link={(finding) => linkTo('instances', { finding })}
      />
      {endpoints.map(({ address, model, faults, last }) => (
        <p key={address} class="endpoint">
          <span class={`status is-${faults > 0 ? 'infra' : 'ok'}`}>
            <i aria-hidden="true" />
            {faults > 0 ? plural(faults, 'fault') : 'no fault in the newest run'}
          </span>
          <span class="mono">{address}</span> <span class="faint">{model}</span>
          {last !== '' && <span class="faint cut">{last}</span>}
        </p>
      ))}
    </Section>
  );
}

function CountList({
  title,
  list,
  link,
}: {
  title: string;
  list: [string, number][];
  link?: (name: string) => string;
}) {
  if (list.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="counts">
        {list.slice(0, 10).map(([name, many]) => (
          <li key={name}>
            <span class="number">{count(many)}</span>
            {link === undefined ? <span>{name}</span> : <a href={link(name)}>{name}</a>}
          </li>
        ))}
      </ul>
    </>
  );
}
