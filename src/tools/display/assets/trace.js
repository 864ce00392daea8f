// One program, line by line: the listing, a slider, and the value of the current line, for each sample of a task.
// The place is in the address (#sample=1&step=3).

const data = JSON.parse(document.getElementById('data').textContent);
look.palettes = data.palettes;
look.palette = data.palette;
const by = (id) => document.getElementById(id);

let sample = 0, step = 0;
const steps = () => (data.samples[sample] ? data.samples[sample].steps : []);

const parseMarks = (text) => text && text.split('|').map((row) => Array.from(row));
// What is lit is outlined, object by object where they are distinct.
const groupsOf = (panel, marks) =>
  panel.groups || (marks ? marks.map((row) => row.map((mark) => (mark === 'l' ? 1 : 0))) : null);

// ---- the listing ----

const assigned = (source) => (source.match(/^\s*(\w+)\s*=/) || [])[1];

// Names of earlier lines become links to them.
function sourceView(source, lines) {
  return source.split(/(\b[A-Za-z_]\w*\b)/).map((word) =>
    lines.has(word) ? element('u', { onclick: (event) => { event.stopPropagation(); show(sample, lines.get(word)); } }, word) : word);
}

function listing() {
  const lines = new Map();
  const items = steps().map((line, i) => {
    const item = element('li', { class: line.failed ? 'failed' : '', onclick: () => show(sample, i) },
      ...sourceView(line.source, lines),
      line.failed ? element('small', {}, line.failed) : null);
    const name = assigned(line.source);
    if (name) lines.set(name, i);
    return item;
  });
  by('program').replaceChildren(...items);
}

// ---- the value ----

const JOINTS = { arrow: '→', equal: '=', unequal: '≠', gap: '' };

function panelView(panel, box, before) {
  const grid = parseGrid(panel.grid), marks = parseMarks(panel.marks);
  const changes = before && changedCells(before.grid, grid);
  const caption = [panel.name, sizeText(grid), changes ? `· ${changes.count} cells changed from ${before.name}` : ''].filter(Boolean).join(' ');
  return figure(caption, grid, { box, max: 56, marks, groups: changes ? changes.groups : groupsOf(panel, marks) });
}

// The cells in which two grids of one size differ, if there are some and not all differ.
function changedCells(before, after) {
  if (!before || !after || sizeText(before) !== sizeText(after)) return null;
  const groups = after.map((row, r) => row.map((cell, c) => (cell === before[r][c] ? 0 : 1)));
  const count = groups.flat().filter(Boolean).length;
  return count > 0 && count < groups.flat().length ? { groups, count } : null;
}

// The grid that a line starts from: the first of its arguments that is one.
function gridBefore(line) {
  const grids = new Map([['I', parseGrid(data.samples[sample].input)]]);
  for (const earlier of steps()) {
    if (earlier === line) break;
    const panels = earlier.panels || [], name = assigned(earlier.source);
    if (name && panels.length === 1 && !panels[0].marks) grids.set(name, parseGrid(panels[0].grid));
  }
  const words = line.source.split(/=(.*)/s)[1]?.match(/\b[A-Za-z_]\w*\b/g) || [];
  const name = words.find((word) => grids.has(word));
  return name ? { name, grid: grids.get(name) } : null;
}

function valueView(line) {
  const panels = line.panels || [], box = panels.length > 4 ? 170 : panels.length > 1 ? 300 : Math.max(280, Math.min(640, by('value').clientWidth - 36));
  const before = panels.length === 1 && !panels[0].marks && line.type === 'grid' ? gridBefore(line) : null;
  return [
    element('div', { class: 'bar' }, element('code', {}, line.source),
      element('span', { class: 'push muted' }, [line.type, line.time].filter(Boolean).join(' · '))),
    line.failed ? element('div', { class: 'why' }, `failed: ${line.failed}`) : null,
    panels.length ? element('div', { class: 'grids' }, ...panels.flatMap((panel, i) =>
      [i && JOINTS[panel.joint] ? joint(JOINTS[panel.joint]) : null, panelView(panel, box, before)].filter(Boolean))) : null,
    line.text ? element('pre', {}, line.text) : null,
  ].filter(Boolean);
}

function contextView() {
  const now = data.samples[sample], input = parseGrid(now.input), expected = parseGrid(now.expected);
  const got = parseGrid(now.got), views = [figure(`input ${sizeText(input)}`, input, { box: 220, max: 22 })];
  views.push(figure(`expected ${sizeText(expected)}`, expected, { box: 220, max: 22 }));
  const marks = expected && got && got.length ? diffMarks(expected, got) : null;
  const right = marks && sizeText(expected) === sizeText(got) && !marks.flat().includes('w');
  if (now.got !== undefined)
    views.push(element('figure', { class: 'result' },
      element('figcaption', { class: right ? 'good' : expected ? 'bad' : '' }, got ? `got ${sizeText(got)}${!expected ? '' : right ? ', right' : ', wrong'}` : 'no output'),
      drawGrid(got, { box: 220, max: 22, marks: right ? null : marks })));
  return views;
}

// ---- moving ----

function show(newSample, newStep, { force = false } = {}) {
  const samples = data.samples.length;
  newSample = Math.max(0, Math.min(samples - 1, newSample));
  const changed = force || newSample !== sample;
  sample = newSample;
  step = Math.max(0, Math.min(steps().length - 1, newStep));
  if (changed) {
    listing();
    by('context').replaceChildren(...contextView());
    by('slider').max = Math.max(0, steps().length - 1);
  }
  const line = steps()[step];
  [...by('samples').children].forEach((chip, i) => chip.setAttribute('aria-pressed', i === sample));
  const used = line ? new Set(line.source.split(/=(.*)/s)[1]?.match(/\b[A-Za-z_]\w*\b/g) || []) : new Set();
  [...by('program').children].forEach((item, i) => {
    item.toggleAttribute('aria-current', i === step);
    item.classList.toggle('later', i > step);
    item.classList.toggle('used', i < step && used.has(assigned(steps()[i].source)));
  });
  by('program').children[step]?.scrollIntoView({ block: 'nearest' });
  by('value').replaceChildren(...(line ? valueView(line) : [element('p', { class: 'muted' }, 'This program has no lines.')]));
  by('slider').value = step;
  by('count').textContent = line ? `step ${step + 1} of ${steps().length}` : 'no steps';
  by('back').disabled = step <= 0;
  by('next').disabled = step + 1 >= steps().length;
  writeHash({ sample: sample + 1, step: step + 1 });
}

by('samples').append(...data.samples.map((one, i) =>
  element('button', { class: one.right === true ? 'good' : one.right === false ? 'bad' : '', onclick: () => show(i, step) }, one.label)));
by('slider').addEventListener('input', (event) => show(sample, +event.target.value));
by('back').addEventListener('click', () => show(sample, step - 1));
by('next').addEventListener('click', () => show(sample, step + 1));

function redraw() { if (data.samples.length) show(sample, step, { force: true }); }
const controls = lookControls(by('look'), redraw);

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event)) return;
  const act = {
    ArrowLeft: () => show(sample, step - 1), ArrowRight: () => show(sample, step + 1),
    ArrowUp: () => show(sample - 1, step), ArrowDown: () => show(sample + 1, step),
    Home: () => show(sample, 0), End: () => show(sample, steps().length - 1),
    p: controls.nextPalette, d: controls.toggleDigits,
  }[event.key];
  if (!act) return;
  act();
  event.preventDefault();
});

function fromHash() {
  const hash = readHash();
  show((+hash.get('sample') || 1) - 1, (+hash.get('step') || 1) - 1, { force: true });
}
window.addEventListener('hashchange', fromHash);

by('title').textContent = data.title;
by('summary').textContent = data.summary || '';
if (data.samples.length) fromHash();
else by('value').append(element('p', { class: 'muted' }, 'There is no sample to trace.'));
document.body.dataset.ready = 'yes';
