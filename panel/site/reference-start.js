// The colours are those of the panel: see panel/public/scheme.js.
const chosen = localStorage.getItem('causeway-scheme');
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.setAttribute('data-scheme', isDark ? 'dark' : 'light');
document.documentElement.classList.toggle('dark-mode', isDark);
window.onload = () =>
  window.SwaggerUIBundle({
    url: '/api/v2/openapi.json',
    dom_id: '#reference',
    deepLinking: true,
    tryItOutEnabled: true,
  });
