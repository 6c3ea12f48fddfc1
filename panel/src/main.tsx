import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/global.css';
import './styles.ts';
import './colours.css';
import './panel.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

const place = document.getElementById('panel');
if (place !== null) createRoot(place).render(<App />);
