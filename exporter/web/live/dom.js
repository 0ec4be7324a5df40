// Elements. Text is always text: names come from another process.

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// A section with its heading, and a body that is filled again and again.
export function section(name, title, ...children) {
  return element('section', {id: name, 'aria-labelledby': `${name}-title`},
    element('h2', {id: `${name}-title`}, title), ...children);
}

// A table whose body is replaced: rows are lists of texts or elements. The first column and `textColumn` are text, the
// others numbers.
export function table(caption, columns, textColumn = 0) {
  const body = element('tbody');
  const textual = (k) => (k > 0 && k === textColumn ? 'text' : undefined);
  const made = element('table', {}, element('caption', {}, caption),
    element('thead', {}, element('tr', {}, ...columns.map((one, k) => element('th', {scope: 'col', class: textual(k)}, one)))), body);
  const fill = (rows, none = 'nothing yet') => {
    const cells = (row) => row.map((one, k) => (k === 0 ? element('th', {scope: 'row'}, one) : element('td', {class: textual(k)}, one)));
    body.replaceChildren(...(rows.length
      ? rows.map((row) => element('tr', {}, ...cells(row)))
      : [element('tr', {}, element('td', {colspan: columns.length, class: 'none'}, none))]));
  };
  fill([]);
  return {element: element('div', {class: 'scrolls', tabindex: 0, role: 'region', 'aria-label': caption}, made), fill};
}

// A bar of parts, [[name, share 0..1], ...]. Its label says what the eye sees.
export function bar(label, parts) {
  const made = element('div', {class: 'bar', role: 'img', 'aria-label': label, title: label});
  for (const [name, share] of parts) {
    const part = element('span', {class: `part ${name}`});
    part.style.width = `${100 * share}%`;
    made.append(part);
  }
  return made;
}
