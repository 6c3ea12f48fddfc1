import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/global.css';
import './styles.ts';
import './colours.css';
import './panel.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { fetchTexts, firstLanguage } from './i18n.ts';

const place = document.getElementById('panel');
const texts = await fetchTexts(firstLanguage());
if (place !== null) createRoot(place).render(<App firstTexts={texts} />);
