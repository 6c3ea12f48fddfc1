import type { Outcome } from '../journal/journal.ts';

type Answer = { fingerprint: string; outcome: Outcome };

const ANSWERS = 4096;

/** The last answers that are in no journal, so that a frame which comes twice is answered and not run again. */
export const createRecent = () => {
  const answers = new Map<string, Answer>();
  return {
    get: (id: string): Answer | undefined => answers.get(id),
    put: (id: string, answer: Answer): void => {
      answers.set(id, answer);
      if (answers.size <= ANSWERS) return;
      const [oldest] = answers.keys();
      if (oldest !== undefined) answers.delete(oldest);
    },
  };
};
