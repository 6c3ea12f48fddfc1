import type { ComponentProps } from 'react';
import { flushSync } from 'react-dom';

/**
 * What sends a form: its button, Enter in a field, and Ctrl + Enter anywhere in it, but not a key that is held down. The
 * first field that is wrong then has the focus. `send`: undefined while it cannot be sent. A form of a dialog inside of
 * this one sends itself.
 */
export const sending = (
  send: (() => void) | undefined,
): Required<Pick<ComponentProps<'form'>, 'noValidate' | 'onSubmit' | 'onKeyDown'>> => {
  const sendFrom = (form: HTMLFormElement): void => {
    if (send === undefined) return;
    flushSync(send);
    form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  };
  return {
    noValidate: true,
    onSubmit: (event) => {
      event.preventDefault();
      event.stopPropagation();
      sendFrom(event.currentTarget);
    },
    onKeyDown: (event) => {
      const { key, ctrlKey, metaKey, repeat, currentTarget, target } = event;
      if (key !== 'Enter' || !(ctrlKey || metaKey)) return;
      if (!(target instanceof Node && currentTarget.contains(target))) return;
      event.preventDefault();
      event.stopPropagation();
      if (!repeat) sendFrom(currentTarget);
    },
  };
};
