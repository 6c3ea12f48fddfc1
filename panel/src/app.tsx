import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { HubProblem, onSignedOut } from './api.ts';
import { fetchTexts, keepLanguage, type Language, type Texts, TextsContext } from './i18n.ts';
import { LanguageContext } from './parts/settings.tsx';
import { createPanelRouter } from './router.tsx';

const RETRIES = 2;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // A repeated request would get the same refusal.
      retry: (count, error) => count < RETRIES && !(error instanceof HubProblem && !error.problem.retryable),
    },
    mutations: { retry: false },
  },
});
onSignedOut(() => client.setQueryData(['session'], null));
const router = createPanelRouter();

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

export const App = ({ firstTexts }: { firstTexts: Texts }) => {
  const [texts, setTexts] = useState(firstTexts);
  useEffect(() => {
    document.documentElement.lang = texts.language;
  }, [texts]);
  const choose = useCallback((language: Language, isKept: boolean): void => {
    if (isKept) keepLanguage(language);
    void fetchTexts(language).then(setTexts);
  }, []);
  return (
    <QueryClientProvider client={client}>
      <LanguageContext value={choose}>
        <TextsContext value={texts}>
          <RouterProvider router={router} />
        </TextsContext>
      </LanguageContext>
    </QueryClientProvider>
  );
};
