import { copyText } from '../clipboard.ts';

const SHOWN_MS = 1_500;

/** Puts a button beside each block of code that copies it, and says so. */
export const enableCopy = (): void => {
  for (const place of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    const says = document.createElement('span');
    button.type = 'button';
    says.setAttribute('aria-live', 'polite');
    says.textContent = 'Copy';
    button.append(says);
    button.addEventListener('click', () => {
      const text = place.querySelector('code')?.textContent ?? '';
      void copyText(text.replace(/\n$/, '')).then(() => {
        says.textContent = 'Copied';
        setTimeout(() => {
          says.textContent = 'Copy';
        }, SHOWN_MS);
      });
    });
    place.append(button);
  }
};
