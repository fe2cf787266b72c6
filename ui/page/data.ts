/** Data of the server. It is requested when a view is drawn, and again when the server says that it changed. */
import { useEffect, useState } from 'preact/hooks';
import { CHANGES_HEADER, type LiveRun } from '../shapes.ts';

export interface Data<T> {
  value: T | null;
  error: string;
}

export async function ask<T>(path: string): Promise<T> {
  return (await answerOf<T>(path)).value;
}

/** With the number of changes that the answer shows. */
async function answerOf<T>(path: string): Promise<{ value: T; shows: number }> {
  const answer = await fetch(path, { headers: { accept: 'application/json' } });
  // What is no JSON is no answer of this server: its status says what it is.
  const value = (await answer.json().catch(() => ({ error: answer.statusText }))) as T & { error?: string };
  if (!answer.ok) throw new Error(value.error ?? answer.statusText);
  return { value, shows: Number(answer.headers.get(CHANGES_HEADER)) };
}

export function pathOf(name: string, query: Readonly<Record<string, string | number>> = {}): string {
  const text = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  return `/api/${name}?${text}`;
}

/** As the server's last message says. */
let changes = 0;
const listeners = new Set<() => void>();

/** Old data is shown until new data has come. One request at a time is made. */
export function useData<T>(path: string, isLive = true): Data<T> {
  const [data, setData] = useState<Data<T> & { path: string }>({ value: null, error: '', path });
  useEffect(() => {
    let isOver = false;
    let isAsking = false;
    let shown = -1;
    const look = async () => {
      if (isOver || isAsking || shown >= changes) return;
      isAsking = true;
      const wanted = changes;
      const found = await answerOf<T>(path).then(
        ({ value, shows }) => ({ value, error: '', shows }),
        (error: Error) => ({ value: null, error: error.message, shows: wanted }),
      );
      isAsking = false;
      shown = found.shows;
      if (isOver) return;
      setData({ value: found.value, error: found.error, path });
      if (isLive) void look();
    };
    void look();
    if (isLive) listeners.add(look);
    return () => {
      isOver = true;
      listeners.delete(look);
    };
  }, [path, isLive]);
  return data.path === path ? data : { value: null, error: '' };
}

export interface Live {
  run: LiveRun | null;
  isConnected: boolean;
}

/** The newest run, as the server reports it. */
export function useLive(): Live {
  const [live, setLive] = useState<Live>({ run: null, isConnected: false });
  useEffect(() => {
    const source = new EventSource('/api/events');
    source.addEventListener('open', () => setLive((before) => ({ ...before, isConnected: true })));
    source.addEventListener('error', () => setLive((before) => ({ ...before, isConnected: false })));
    source.addEventListener('run', ({ data }) =>
      setLive({ run: JSON.parse(data as string) as LiveRun | null, isConnected: true }),
    );
    source.addEventListener('data', ({ data }) => {
      changes = Number(data);
      for (const listener of listeners) listener();
    });
    return () => source.close();
  }, []);
  return live;
}
