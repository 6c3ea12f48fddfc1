import MiniSearch, { type SearchResult } from 'minisearch';
import { SEARCH_OPTIONS, type Section } from './search-options.ts';

const SHOWN = 12;

type Found = SearchResult & Pick<Section, 'page' | 'heading' | 'part' | 'excerpt'>;

const element = (name: string, text: string, className = ''): HTMLElement => {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
};

const resultItem = ({ id, page, heading, part, excerpt }: Found): HTMLElement => {
  const link = document.createElement('a');
  link.href = String(id);
  link.append(element('strong', heading), element('span', `${part} · ${page}`), element('small', excerpt));
  const item = document.createElement('li');
  item.append(link);
  return item;
};

/** Loads the index at the first use; a failed attempt is repeated at the next one. */
const createIndex = (address: string) => {
  let index: Promise<MiniSearch<Section>> | undefined;
  const load = async (): Promise<MiniSearch<Section>> => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`The search index was answered with ${response.status}.`);
    return MiniSearch.loadJSON(await response.text(), SEARCH_OPTIONS);
  };
  return (): Promise<MiniSearch<Section>> => {
    index ??= load().catch((error: unknown) => {
      index = undefined;
      throw error;
    });
    return index;
  };
};

type Parts = { box: HTMLElement; input: HTMLInputElement; found: HTMLElement; status: HTMLElement; list: HTMLElement };

/** Shows the results of what is typed; an older answer never replaces a newer one. */
const createShow = ({ box, input, found, status, list }: Parts) => {
  const indexOf = createIndex(box.dataset['index'] ?? '');
  const search = async (words: string): Promise<Found[] | undefined> => {
    const index = await indexOf().catch(() => undefined);
    return index?.search(words) as Found[] | undefined;
  };
  return async (): Promise<void> => {
    const words = input.value.trim();
    if (words === '') {
      found.hidden = true;
      return;
    }
    const results = await search(words);
    if (input.value.trim() !== words) return;
    list.replaceChildren(...(results ?? []).slice(0, SHOWN).map(resultItem));
    status.textContent =
      results === undefined
        ? 'The search index could not be loaded.'
        : `${results.length === 0 ? 'No' : results.length} result${results.length === 1 ? '' : 's'}`;
    found.hidden = false;
  };
};

/** Arrow keys move between the input and the results; Escape closes them. */
const enableKeys = ({ box, input, found }: Parts): void => {
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      found.hidden = true;
      input.focus();
      return;
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || found.hidden) return;
    event.preventDefault();
    const stops = [input, ...found.querySelectorAll('a')];
    const at = stops.findIndex((each) => each.matches(':focus'));
    stops[(at + step + stops.length) % stops.length]?.focus();
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !found.hidden) found.querySelector('a')?.click();
  });
  document.addEventListener('keydown', (event) => {
    const isTyped = event.target instanceof HTMLInputElement;
    if (event.key !== '/' || isTyped || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
};

/** The search field in the header of each page. */
export const enableSearch = (): void => {
  const box = document.querySelector<HTMLElement>('search');
  const input = box?.querySelector('input');
  const found = box?.querySelector<HTMLElement>('.found');
  const status = found?.querySelector<HTMLElement>('p');
  const list = found?.querySelector<HTMLElement>('ol');
  if (!box || !input || !found || !status || !list) return;
  const parts = { box, input, found, status, list };
  const show = createShow(parts);
  input.addEventListener('input', () => void show());
  input.addEventListener('focus', () => void show());
  enableKeys(parts);
  document.addEventListener('click', ({ target }) => {
    const isInside = target instanceof Element && box.contains(target) && target.closest('.found a') === null;
    if (!isInside) found.hidden = true;
  });
  box.hidden = false;
};
