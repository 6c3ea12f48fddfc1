import type { QueryClient } from '@tanstack/react-query';
import { forgetFilters } from './filters.ts';
import { forgetTokens } from './fresh-token.ts';
import { closeOrder } from './open-order.ts';
import { giveUpParked } from './patience.ts';
import { takeOver } from './tasks/chosen.ts';
import { endToasts } from './toasts.ts';
import { forgetUnanswered } from './unanswered.ts';

/** Forgets all that belongs to the person who was signed in: another one may see other data. */
export const forgetPerson = (client: QueryClient): void => {
  forgetFilters();
  forgetTokens();
  forgetUnanswered();
  takeOver();
  closeOrder();
  // With the cookie of the next person, they would be that person's.
  giveUpParked();
  endToasts();
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
};
