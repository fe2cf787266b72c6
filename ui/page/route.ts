/** Where the reader is: the part of the address after #, so that every view has a link and the server has one page. */
import { useEffect, useState } from 'preact/hooks';

export interface Place {
  page: string;
  query: URLSearchParams;
}

export function placeOf(hash: string): Place {
  const [page = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { page: page === '' ? 'overview' : page, query: new URLSearchParams(query) };
}

export function linkTo(page: string, query: Readonly<Record<string, string | number>> = {}): string {
  const kept = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? `#/${page}` : `#/${page}?${text}`;
}

/** The same page with other parts of the query. */
export function linkWith(place: Place, changes: Readonly<Record<string, string>>): string {
  return linkTo(place.page, { ...Object.fromEntries(place.query), ...changes });
}

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const onChange = () => {
      const next = placeOf(location.hash);
      setPlace((before) => {
        if (before.page !== next.page) scrollTo(0, 0);
        return next;
      });
    };
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return place;
}
