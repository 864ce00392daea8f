// The gallery: all tasks as cards, filled when they come into view; filters live in the address, so a view can be
// linked to (#status=solved&size=grows&colors=3&q=mirror&task=ID).

const data = JSON.parse(document.getElementById('data').textContent);
look.palettes = data.palettes;
look.palette = data.palette;
const by = (id) => document.getElementById(id);

// A page of tasks that nothing was run on has no verdicts.
const tone = (status) => (status === 'solved' ? 'good' : status === 'training only' ? 'warn' : 'bad');
const badge = (task, more) => (task.status ? element('span', { class: `badge ${tone(task.status)}${more}` }, task.status) : '');

// ---- what filters ask about ----

const area = (text) => text.replaceAll('|', '').length;
const shape = (text) => `${text.split('|').length}x${text.split('|')[0].length}`;

function sizeChange(task) {
  const known = task.pairs.filter((pair) => pair.e != null);
  const all = (test) => known.length > 0 && known.every(test);
  if (all((p) => shape(p.i) === shape(p.e))) return 'same';
  if (all((p) => area(p.e) > area(p.i))) return 'grows';
  if (all((p) => area(p.e) < area(p.i))) return 'shrinks';
  return known.length ? 'varies' : '';
}

function describe(task) {
  const text = task.pairs.map((pair) => pair.i + (pair.e ?? '')).join('');
  task.colors = '0123456789'.split('').filter((digit) => text.includes(digit)).length;
  task.size = sizeChange(task);
  task.words = [task.id, task.status, task.note, task.program].filter(Boolean).join('\n').toLowerCase();
}
data.tasks.forEach(describe);

const inRange = (count, range) => {
  const [low, high = low] = range.split('-').map(Number);
  return count >= low && count <= high;
};
const statusFits = (task, wanted) => !wanted || (wanted === 'unsolved' ? task.status !== 'solved' : task.status === wanted);
const fits = (task, f, { ignoreStatus = false } = {}) =>
  (ignoreStatus || statusFits(task, f.status)) && (!f.size || task.size === f.size) &&
  (!f.colors || inRange(task.colors, f.colors)) && f.q.toLowerCase().split(/\s+/).every((word) => task.words.includes(word));

// ---- pairs ----

// A pair as its grids: input, what was wanted and, where it was run and differs, what came out. On cards one caption
// tells all sizes; in the large view each grid has its own.
function pairView(pair, options, terse) {
  const input = parseGrid(pair.i), expected = parseGrid(pair.e), wrong = 'g' in pair && pair.g !== true;
  const got = wrong ? parseGrid(pair.g) : null;
  const parts = [['', 'input', input, null]];
  if (expected || !wrong || !got) parts.push(['→', 'expected', expected, null]);
  if (wrong && (got || !terse)) parts.push([expected ? '≠' : '→', 'got', got, expected && got ? diffMarks(expected, got) : null]);
  const drawn = parts.flatMap(([sign, name, grid, marks]) => {
    const canvas = grid || name !== 'got' ? drawGrid(grid, { ...options, marks }) : element('div', { class: 'nothing' }, 'nothing');
    const view = terse ? canvas : element('figure', {}, element('figcaption', {}, `${name} ${sizeText(grid)}`), canvas);
    return sign ? [joint(sign), view] : [view];
  });
  const sizes = parts.map(([sign, , grid]) => `${sign} ${sizeText(grid)}`).join(' ').trim();
  return element('div', {}, terse ? element('figcaption', {}, `${pair.l} · ${sizes}`) : null,
    element('div', { class: 'pair' }, ...drawn));
}

function verdict(pair) {
  if (!('g' in pair)) return pair.n ? [pair.n, 'muted'] : null;
  if (pair.g === true) return ['right', 'good'];
  if (pair.g == null) return [pair.n || 'no output', 'bad'];
  const expected = parseGrid(pair.e), got = parseGrid(pair.g);
  if (!expected) return [pair.n || 'expected output unknown', 'muted'];
  if (sizeText(expected) !== sizeText(got)) return [`wrong size: expected ${sizeText(expected)}, got ${sizeText(got)}`, 'bad'];
  const wrong = diffMarks(expected, got).flat().filter((mark) => mark === 'w').length;
  return [`${wrong} of ${expected.length * expected[0].length} cells wrong`, 'bad'];
}

// ---- cards ----

const MAX_PAIRS = 4;

// On a card: outputs that are wrong first, else the first pairs.
function cardPairs(task) {
  const wrong = task.pairs.filter((pair) => typeof pair.g === 'string');
  const rest = task.pairs.filter((pair) => !wrong.includes(pair));
  return [...wrong, ...rest].slice(0, wrong.length ? Math.max(2, Math.min(wrong.length, 3)) : MAX_PAIRS);
}

function fill(card) {
  const task = card.task, pairs = cardPairs(task), more = task.pairs.length - pairs.length;
  card.querySelector('.grids').replaceChildren(
    ...pairs.map((pair) => pairView(pair, { box: 86, max: 16 }, true)),
    more > 0 ? element('span', { class: 'muted' }, `+${more}`) : '');
  card.filled = true;
}

// The first screenful is drawn at once: the observer reports only after a frame, and until then cards are empty.
const FIRST = 24;
const fillFirst = () => shown.slice(0, FIRST).forEach((task) => { if (!task.card.filled) fill(task.card); });

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries)
    if (entry.isIntersecting && !entry.target.filled) fill(entry.target);
}, { rootMargin: '500px' });

function makeCard(task) {
  const card = element('article', { class: 'task', tabindex: '0', id: `task-${task.id}`, 'aria-label': task.status ? `task ${task.id}, ${task.status}` : `task ${task.id}` },
    element('header', {}, element('b', {}, task.id), badge(task, ' push')),
    element('div', { class: 'grids' }),
    task.note ? element('p', { class: 'note' }, task.note) : null);
  card.task = task;
  card.addEventListener('click', () => open(task));
  task.card = card;
  seen.observe(card);
  return card;
}
by('list').append(...data.tasks.map(makeCard));

// ---- one task, large ----

const detail = by('detail');
let shown = [], current = null;

function detailView(task) {
  const at = shown.indexOf(task), step = (by_) => () => open(shown[at + by_]);
  const group = (title, pairs) => pairs.length === 0 ? null : element('section', {}, element('h3', {}, title),
    element('div', { class: 'grids' }, ...pairs.map((pair) => {
      const said = verdict(pair);
      return element('div', {}, element('div', {}, pair.l, '  ', said ? element('span', { class: said[1] }, said[0]) : ''),
        pairView(pair, { box: 300, max: 32 }, false));
    })));
  return [
    element('header', { class: 'bar' },
      element('h2', { id: 'detail-title' }, task.id),
      badge(task, ''),
      element('span', { class: 'muted' }, task.note || ''),
      element('span', { class: 'push bar' },
        element('button', { onclick: step(-1), disabled: at <= 0, title: 'previous (←)' }, '←'),
        element('button', { onclick: step(1), disabled: at < 0 || at + 1 >= shown.length, title: 'next (→)' }, '→'),
        element('button', { onclick: () => detail.close(), title: 'close (Esc)' }, 'Close'))),
    group('Training', task.pairs.filter((pair) => !pair.t)),
    group('Test', task.pairs.filter((pair) => pair.t)),
    task.program ? element('section', {}, element('h3', {}, 'Program'), element('pre', {}, task.program)) : null,
  ].filter(Boolean);
}

function open(task) {
  if (!task) return;
  current = task;
  detail.replaceChildren(...detailView(task));
  if (!detail.open) detail.showModal();
  detail.scrollTop = 0;
  remember();
}

detail.addEventListener('close', () => {
  const task = current;
  current = null;
  remember();
  if (task && !task.card.hidden) task.card.focus();
});
detail.addEventListener('click', (event) => { if (event.target === detail) detail.close(); });

// ---- filters ----

const filters = { status: '', size: '', colors: '', q: '' };

// "unsolved" is everything but solved; after it come the kinds of unsolved that the data has.
const statuses = new Set(data.tasks.map((task) => task.status));
const ran = [...statuses].some((s) => s);
const choices = ran ? ['', 'solved', 'unsolved', ...[...statuses].filter((s) => s !== 'solved' && s !== 'unsolved').sort()] : [''];
const chips = choices.map((status) =>
  element('button', { onclick: () => { filters.status = status; apply(); } }, status || 'all', element('small', {})));
by('chips').append(...chips);

function remember() {
  writeHash({ ...filters, task: current ? current.id : '' });
}

function apply() {
  shown = data.tasks.filter((task) => fits(task, filters));
  const keep = new Set(shown);
  for (const task of data.tasks) task.card.hidden = !keep.has(task);
  const others = data.tasks.filter((task) => fits(task, filters, { ignoreStatus: true }));
  chips.forEach((chip, i) => {
    chip.setAttribute('aria-pressed', filters.status === choices[i]);
    chip.lastChild.textContent = others.filter((task) => statusFits(task, choices[i])).length;
  });
  by('size').value = filters.size;
  by('colors').value = filters.colors;
  if (by('query').value !== filters.q) by('query').value = filters.q;
  by('count').textContent = `${shown.length} of ${data.tasks.length} tasks`;
  by('none').hidden = shown.length > 0;
  fillFirst();
  remember();
}

for (const name of ['size', 'colors'])
  by(name).addEventListener('change', (event) => { filters[name] = event.target.value; apply(); });
by('query').addEventListener('input', (event) => { filters.q = event.target.value; apply(); });
by('reset').addEventListener('click', () => { Object.assign(filters, { status: '', size: '', colors: '', q: '' }); apply(); });

function fromHash() {
  const hash = readHash();
  for (const name of Object.keys(filters)) filters[name] = hash.get(name) || '';
  if (!choices.includes(filters.status)) filters.status = '';
  const wanted = data.tasks.find((task) => task.id === hash.get('task'));
  current = wanted || null;
  apply();
  if (wanted) open(wanted);
  else if (detail.open) detail.close();
}
window.addEventListener('hashchange', fromHash);

// ---- looks and keys ----

const controls = lookControls(by('look'), () => {
  for (const task of data.tasks) {
    task.card.filled = false;
    seen.unobserve(task.card);
    seen.observe(task.card); // those in view are reported, and drawn, again
  }
  fillFirst();
  if (current) detail.replaceChildren(...detailView(current));
});

function move(step) {
  const at = shown.findIndex((task) => task.card === document.activeElement);
  const next = shown[at < 0 ? (step > 0 ? 0 : shown.length - 1) : Math.max(0, Math.min(shown.length - 1, at + step))];
  if (!next) return;
  next.card.focus({ preventScroll: true });
  next.card.scrollIntoView({ block: 'nearest' });
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing(event)) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const at = shown.indexOf(current);
  const keys = detail.open ? {
    ArrowRight: () => open(shown[at + 1]), ArrowLeft: () => open(shown[at - 1]),
    j: () => open(shown[at + 1]), k: () => open(shown[at - 1]),
    p: controls.nextPalette, d: controls.toggleDigits,
  } : {
    '/': () => by('query').focus(), j: () => move(1), k: () => move(-1), p: controls.nextPalette, d: controls.toggleDigits,
    Enter: () => { if (document.activeElement.task) open(document.activeElement.task); else return true; },
  };
  const act = keys[event.key];
  if (act && act() !== true) event.preventDefault();
});

by('title').textContent = data.title;
by('summary').textContent = data.summary || '';
fromHash();
document.body.dataset.ready = 'yes';
