import '../styles/tokens.css';
import './base.css';
import './frame.css';
import './search.css';
import './article.css';
import './print.css';
import { enableCopy } from './copy.ts';
import { enableSearch } from './search.ts';

// The reference page was at `/docs`; its links have an anchor with a slash.
if (location.pathname === '/docs' && location.hash.startsWith('#/')) location.replace(`/docs/api${location.hash}`);

/** A box that scrolls can be reached with the keyboard. */
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0');
    else target.removeAttribute('tabindex');
  }
});
for (const box of document.querySelectorAll('.box')) sizes.observe(box);

// On a phone, the navigation is a popover; on a wide screen, the current page may be below its fold.
document.querySelector('#pages [aria-current]')?.scrollIntoView({ block: 'nearest' });

// On a wide screen, the table of contents begins open; until here, the style sheet has shown it so.
const contents = document.querySelector<HTMLDetailsElement>('.contents');
if (contents !== null) {
  contents.open = matchMedia('(min-width: 1280px)').matches;
  delete contents.dataset['fresh'];
}

enableCopy();
enableSearch();
