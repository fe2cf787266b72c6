/** The search of the site, in the browser. `search-index.js` holds its index. */
import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS } from './options.mjs';

const MAX_RESULTS = 12;
const input = document.querySelector('#search');
const list = document.querySelector('#found');
const { root } = document.body.dataset;
const index = MiniSearch.loadJS(globalThis.SEARCH_INDEX, SEARCH_OPTIONS);

function show() {
  const words = input.value.trim();
  const found = words === '' ? [] : index.search(words).slice(0, MAX_RESULTS);
  list.replaceChildren(...found.map(entry));
  if (words !== '' && found.length === 0) list.append(line(document.createTextNode('Nothing was found.')));
  list.hidden = words === '';
}

function entry({ page, heading, url }) {
  const link = document.createElement('a');
  link.href = root + url;
  link.textContent = heading === page ? page : `${page}: ${heading}`;
  return line(link);
}

function line(child) {
  const item = document.createElement('li');
  item.append(child);
  return item;
}

function close() {
  list.hidden = true;
}

input.addEventListener('input', show);
input.addEventListener('focus', show);
document.addEventListener('keydown', (event) => {
  const links = [input, ...list.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === 'Escape') close();
  else if (at >= 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
    event.preventDefault();
    links[Math.min(links.length - 1, Math.max(0, at + (event.key === 'ArrowDown' ? 1 : -1)))].focus();
  } else if (event.key === 'Enter' && document.activeElement === input) links[1]?.click();
});
document.addEventListener('click', ({ target }) => {
  if (target !== input && (!list.contains(target) || target.closest('a') !== null)) close();
});
