import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { onSignedOut, ProblemError } from './api.ts';
import { createTexts, firstLanguage, keepLanguage, type Language, TextsContext } from './i18n.ts';
import { LanguageContext } from './parts/settings.tsx';
import { createPanelRouter } from './router.tsx';

const RETRIES = 2;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // A repeated request would get the same refusal.
      retry: (count, error) => count < RETRIES && !(error instanceof ProblemError && !error.problem.retryable),
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

export const App = () => {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const texts = useMemo(() => createTexts(language), [language]);
  useEffect(() => {
    document.documentElement.lang = language;
    keepLanguage(language);
  }, [language]);
  return (
    <MantineProvider defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={client}>
        <LanguageContext value={setLanguage}>
          <TextsContext value={texts}>
            <RouterProvider router={router} />
          </TextsContext>
        </LanguageContext>
      </QueryClientProvider>
    </MantineProvider>
  );
};
