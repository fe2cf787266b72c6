/** Components that the pages share. Text from a project is always a text node and never markup. */
import Anser from 'anser';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { LogRange } from '../../app/view/log-range.ts';
import { ask, type Data, pathOf } from './data.ts';
import { linkTo } from './route.ts';
import { count, itemParts } from './text.ts';

export const STATUSES = ['ok', 'failed', 'flaky', 'timeout', 'infra', 'config', 'stopped'] as const;

/** A status as a coloured word. The word is enough without the colour. */
export function Status({ status, reason = '' }: { status: string; reason?: string }) {
  if (status === '') return <span class="faint">–</span>;
  return (
    <span class={`status is-${status}`}>
      <i aria-hidden="true" />
      {reason === '' ? status : reason}
    </span>
  );
}

export function Reward({ reward }: { reward: number | null }) {
  if (reward === null) return <span class="reward is-none">no reward</span>;
  return <span class={`reward ${reward > 0 ? 'is-one' : 'is-zero'}`}>reward {reward}</span>;
}

/** One square for each sample. */
export function Rewards({ text }: { text: string }) {
  if (text === '') return <span class="faint">–</span>;
  const solved = [...text].filter((one) => one === '1').length;
  return (
    <span class="squares">
      <span class="unseen">{`${solved} of ${text.length} solved`}</span>
      {[...text].slice(0, 16).map((one, index) => (
        <i
          key={index}
          aria-hidden="true"
          class={one === '1' ? 'is-one' : one === '0' ? 'is-zero' : 'is-none'}
        />
      ))}
      {text.length > 16 && <span class="faint">+{text.length - 16}</span>}
    </span>
  );
}

/** The owner is cut first where a repository does not fit. */
export function Repository({ name }: { name: string }) {
  const at = name.lastIndexOf('/') + 1;
  return (
    <span class="long">
      <span class="cut gives-way">{name.slice(0, at)}</span>
      <span class="cut">{name.slice(at)}</span>
    </span>
  );
}

/**
 * Characters at the end of an id that are never cut, since they distinguish instances of one repository: the last part
 * after a dot.
 */
const MAX_TAIL = 26;

/** An instance's id, cut in the middle where it does not fit. */
export function InstanceId({ id }: { id: string }) {
  const tail = Math.min(MAX_TAIL, id.length - id.lastIndexOf('.') - 1);
  return (
    <>
      <span class="cut">{id.slice(0, id.length - tail)}</span>
      <span>{id.slice(id.length - tail)}</span>
    </>
  );
}

/** Words with `code` between backticks. */
export function Words({ text }: { text: string }) {
  return (
    <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
  );
}

/** Shares of a whole, in the order of the statuses. */
export function CountsBar({ counts, of }: { counts: Readonly<Record<string, number>>; of: number }) {
  const label = STATUSES.filter((status) => (counts[status] ?? 0) > 0)
    .map((status) => `${count(counts[status]!)} ${status}`)
    .join(', ');
  return (
    <span class="bar" role="img" aria-label={label === '' ? 'nothing yet' : label}>
      {STATUSES.map((status) => {
        const share = of === 0 ? 0 : (counts[status] ?? 0) / of;
        return share === 0 ? null : (
          <i
            key={status}
            class={`is-${status}`}
            style={{ width: `${100 * share}%` }}
            title={`${counts[status]} ${status}`}
          />
        );
      })}
    </span>
  );
}

export function Waiting<T>({ data, children }: { data: Data<T>; children: (value: T) => ComponentChildren }) {
  if (data.error !== '')
    return (
      <p class="note is-bad" role="alert">
        {data.error}
      </p>
    );
  if (data.value === null)
    return (
      <p class="note" aria-busy="true">
        reading …
      </p>
    );
  return <>{children(data.value)}</>;
}

export function Nothing({ children }: { children: ComponentChildren }) {
  return <p class="note">{children}</p>;
}

export function Section({ title, note, children, id }: SectionProps) {
  return (
    <section id={id} aria-label={title}>
      <h2>
        {title}
        {note !== undefined && <small>{note}</small>}
      </h2>
      {children}
    </section>
  );
}

interface SectionProps {
  title: string;
  note?: ComponentChildren;
  children: ComponentChildren;
  id?: string;
}

export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** An item, with a link to its page if it has one. */
export function ItemLink({ item }: { item: string }) {
  return (
    <a href={itemPage(item)} class="mono" title={item}>
      {itemParts(item)[1] || item}
    </a>
  );
}

export function itemPage(item: string): string {
  const [address, name] = itemParts(item);
  const [stage = '', dataset = ''] = address.split('.');
  if (['rollouts', 'predict', 'grade'].includes(stage) && name !== '') return linkTo('rollout', { item });
  if (stage === 'validate' && name !== '') return linkTo('instance', { dataset, id: name });
  return linkTo('why', { item });
}

/** A command to copy. */
export function Command({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(() => setCopied(true));
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" onClick={copy} aria-label={`copy ${text}`}>
        {isCopied ? 'copied' : 'copy'}
      </button>
    </span>
  );
}

/** A unified diff with coloured lines. `marked`: files of which a finding speaks. */
export function Diff({ text, marked = [] }: { text: string; marked?: readonly string[] }) {
  if (text.trim() === '') return <Nothing>The patch is empty.</Nothing>;
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  let file = '';
  return (
    <pre class="diff" role="group" tabIndex={0} aria-label="patch">
      {lines.map((line, index) => {
        const named = /^(?:\+\+\+ b|--- a)\/(.+)$/.exec(line)?.[1];
        if (named !== undefined) file = named.trim();
        const kind = kindOfLine(line);
        const isMarked = (kind === 'hunk' || kind === 'file') && marked.includes(file);
        return (
          <span key={index} class={`${kind}${isMarked ? ' is-marked' : ''}`} data-file={file}>
            {`${line}\n`}
          </span>
        );
      })}
    </pre>
  );
}

function kindOfLine(line: string): string {
  if (/^(diff |index |\+\+\+ |--- |new file|deleted file|rename |similarity )/.test(line)) return 'file';
  if (line.startsWith('@@')) return 'hunk';
  return line.startsWith('+') ? 'plus' : line.startsWith('-') ? 'minus' : 'same';
}

/** Output of a program with its colours. Other control characters are made visible. */
export function Ansi({ text }: { text: string }) {
  const clean = text.replace(/\r+\n/g, '\n').replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '');
  const parts = Anser.ansiToJson(clean, { use_classes: true, remove_empty: true });
  return (
    <>
      {parts.map(({ content, fg, decorations }, index) => {
        const classes = [
          fg === null || fg === undefined ? '' : `fg-${fg}`,
          decorations.includes('bold') ? 'is-bold' : '',
        ];
        const shown = content.replace(/[\u0000-\u0008\u000b-\u001f]/g, (one) =>
          String.fromCharCode(0x2400 + one.charCodeAt(0)),
        );
        return (
          <span key={index} class={classes.join(' ').trim()}>
            {shown}
          </span>
        );
      })}
    </>
  );
}

/** A log in parts. The last part is shown first; the others are loaded by a click. */
export function Log({ item }: { item: string }) {
  const [range, setRange] = useState<LogRange | null>(null);
  const [error, setError] = useState('');
  const [at, setAt] = useState(-1);
  useEffect(() => {
    let isOver = false;
    ask<LogRange>(pathOf('log', { item, at })).then(
      (found) => {
        if (isOver) return;
        setRange(found);
        setError('');
      },
      (fault: Error) => isOver || setError(fault.message),
    );
    return () => {
      isOver = true;
    };
  }, [item, at]);
  if (error !== '') return <Nothing>No log was kept.</Nothing>;
  if (range === null) return <p class="note">reading …</p>;
  const step = 96 * 1024;
  return (
    <div class="log">
      <div class="tools">
        <span class="faint">
          bytes {count(range.from)} to {count(range.to)} of {count(range.size)}
        </span>
        <button type="button" disabled={range.from === 0} onClick={() => setAt(0)}>
          start
        </button>
        <button
          type="button"
          disabled={range.from === 0}
          onClick={() => setAt(Math.max(0, range.from - step))}
        >
          earlier
        </button>
        <button type="button" disabled={range.to >= range.size} onClick={() => setAt(range.to)}>
          later
        </button>
        <button type="button" disabled={range.to >= range.size} onClick={() => setAt(-1)}>
          end
        </button>
      </div>
      <pre role="group" tabIndex={0} aria-label="log">
        <Ansi text={range.text} />
      </pre>
    </div>
  );
}
