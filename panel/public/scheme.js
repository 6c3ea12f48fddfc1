// Runs before the first paint, so that the page does not flash white in the dark scheme.
const chosen = localStorage.getItem('causeway-scheme');
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.setAttribute('data-scheme', isDark ? 'dark' : 'light');
