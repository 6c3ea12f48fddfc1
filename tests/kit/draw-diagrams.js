// Runs in the browser that draws the diagrams, beside mermaid. Mermaid's styles would need inline CSS, which the
// hub's content policy forbids: each element gets its computed style as attributes, with the site's colours.
const TEXT = ['font-size', 'font-weight', 'text-anchor', 'dominant-baseline'];
const LINE = ['stroke-width', 'stroke-dasharray'];
const DEFAULTS = {
  'font-weight': '400',
  'text-anchor': 'start',
  'dominant-baseline': 'auto',
  'stroke-width': '1px',
  'stroke-dasharray': 'none',
};
const KEPT =
  /^(d|x|y|[xy][12]|[cr][xy]?|dx|dy|width|height|points|transform|id|viewBox|marker-(start|end)|refX|refY|marker(Width|Height|Units)|orient|xmlns)$/;
const DRAWN = new Set(['path', 'rect', 'circle', 'ellipse', 'line', 'polygon', 'polyline', 'text', 'tspan']);

const colourIn = (colours, value) => {
  if (value === 'none' || /, 0\)$/.test(value)) return 'none';
  const found = colours[value];
  if (found === undefined) throw new Error(`The site has no colour for ${value}.`);
  return found;
};

const styleOf = (element, colours) => {
  const style = getComputedStyle(element);
  const isText = ['text', 'tspan'].includes(element.tagName);
  const kept = [['fill', colourIn(colours, style.fill)]];
  if (!isText && colourIn(colours, style.stroke) !== 'none') {
    kept.push(['stroke', colourIn(colours, style.stroke)], ...LINE.map((name) => [name, style[name]]));
  }
  if (isText) kept.push(...TEXT.map((name) => [name, style[name]]));
  return kept.filter(([name, value]) => DEFAULTS[name] !== value);
};

const flattened = (element, colours) => {
  const copy = document.createElementNS('http://www.w3.org/2000/svg', element.tagName);
  for (const { name, value } of element.attributes) if (KEPT.test(name)) copy.setAttribute(name, value);
  if (DRAWN.has(element.tagName)) {
    for (const [name, value] of styleOf(element, colours)) copy.setAttribute(name, value);
  }
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.textContent);
    else if (child.tagName !== 'style' && getComputedStyle(child).display !== 'none')
      copy.append(flattened(child, colours));
  }
  return copy;
};

/** Removes groups without content and markers that no line uses. */
const prune = (svg) => {
  for (const marker of svg.querySelectorAll('marker, symbol, filter')) {
    if (!svg.innerHTML.includes(`url(#${marker.id})`)) marker.remove();
  }
  for (const group of [...svg.querySelectorAll('g, defs')].toReversed()) if (!group.hasChildNodes()) group.remove();
  for (const named of svg.querySelectorAll('[id]')) if (named.tagName !== 'marker') named.removeAttribute('id');
};

globalThis.draw = async ({ id, source, config, colours }) => {
  globalThis.mermaid.initialize(config);
  const { svg } = await globalThis.mermaid.render(id, source);
  document.body.innerHTML = svg;
  const drawn = document.querySelector('svg');
  const { width, height } = drawn.viewBox.baseVal;
  const copy = flattened(drawn, colours);
  prune(copy);
  // Mermaid draws the lifelines of a sequence far beyond the picture.
  const bottom = drawn.viewBox.baseVal.y + height;
  for (const line of copy.querySelectorAll('line')) {
    if (Number(line.getAttribute('y2')) > bottom) line.setAttribute('y2', bottom);
  }
  copy.removeAttribute('id');
  // The last label of an axis may be wider than its place.
  copy.setAttribute('overflow', 'visible');
  copy.setAttribute('width', Math.ceil(width));
  copy.setAttribute('height', Math.ceil(height));
  return new XMLSerializer().serializeToString(copy);
};
