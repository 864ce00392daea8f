// How nets learn: losses over steps, the answer at a chosen step, the answers in the end. The place is in the address
// (#task=1&seed=1&at=12).

const data = JSON.parse(document.getElementById('data').textContent);
look.palettes = data.palettes;
look.palette = data.palette;
const by = (id) => document.getElementById(id);

let task = 0, run = 0, at = 0;
const theTask = () => data.tasks[task];
const theRun = () => theTask().runs[run];
const moments = () => (theRun() ? theRun().moments : []);

// ---- the curve: logarithmic, because the code shrinks from 180,000 nats to a few hundred ----

const SVG = 'http://www.w3.org/2000/svg';
const shape = (tag, attributes, text) => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text != null) made.textContent = text;
  return made;
};
const LINES = [['loss', (m) => m.kl + 10 * m.rec], ['kl', (m) => m.kl], ['rec', (m) => m.rec]];

function curveView() {
  const all = moments(), wide = Math.max(300, document.querySelector('main').clientWidth - 68), high = 240, left = 46, low = 20;
  if (!all.length) return [];
  const values = all.flatMap((m) => LINES.map(([, of]) => of(m))).filter((v) => v > 0);
  const max = Math.ceil(Math.log10(Math.max(...values, 10))), min = Math.floor(Math.log10(Math.max(Math.min(...values), 0.01)));
  const last = Math.max(1, all[all.length - 1].step);
  const x = (step) => left + (wide - left - 8) * step / last;
  const y = (value) => 8 + (high - low - 8) * (max - Math.log10(Math.max(value, 0.01))) / Math.max(1, max - min);
  const svg = shape('svg', { viewBox: `0 0 ${wide} ${high}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': 'losses over steps' });
  for (let power = min; power <= max; power++) {
    svg.append(shape('line', { class: 'axis', x1: left, x2: wide, y1: y(10 ** power), y2: y(10 ** power) }));
    svg.append(shape('text', { x: 4, y: y(10 ** power) + 4 }, (10 ** power).toLocaleString('en-US', { notation: 'compact' })));
  }
  for (let k = 0; k <= 4; k++) svg.append(shape('text', { x: x(last * k / 4) - (k === 4 ? 28 : 4), y: high - 4 }, String(Math.round(last * k / 4))));
  for (const [name, of] of LINES)
    svg.append(shape('polyline', { class: name, points: all.map((m) => `${x(m.step)},${y(of(m))}`).join(' ') }));
  const here = all[at];
  if (here) svg.append(shape('line', { class: 'here', x1: x(here.step), x2: x(here.step), y1: 0, y2: high - low }));
  svg.addEventListener('click', (event) => {
    const box = svg.getBoundingClientRect(), step = ((event.clientX - box.left) / box.width * wide - left) / (wide - left - 8) * last;
    show({ at: all.reduce((best, m, k) => (Math.abs(m.step - step) < Math.abs(all[best].step - step) ? k : best), 0) });
  });
  return [element('h2', {}, 'Losses, in nats'), svg, element('div', { class: 'key muted' },
    element('span', { class: 'l' }, 'loss = code + 10 grids'), element('span', { class: 'k' }, 'code'), element('span', { class: 'r' }, 'grids'))];
}

// ---- grids ----

const isRight = (test, grid) => test.output != null && test.output === grid;

// The answers at a moment are those of the last moment that has some.
const gridsAt = (index) => {
  for (let k = index; k >= 0; k--) if (moments()[k].grids) return moments()[k].grids;
  return null;
};

function testsView(grids, box) {
  return theTask().test.map((test, k) => {
    const input = parseGrid(test.input), wanted = parseGrid(test.output), got = grids && grids[k] ? parseGrid(grids[k].grid) : null;
    const right = grids && grids[k] && isRight(test, grids[k].grid);
    const marks = wanted && got && !right ? diffMarks(wanted, got) : null;
    return element('div', { class: 'pair' }, figure(`test ${k + 1} ${sizeText(input)}`, input, { box, max: 24 }), joint('→'),
      element('figure', {}, element('figcaption', { class: wanted ? (right ? 'good' : 'bad') : '' }, `${sizeText(got)}${wanted ? (right ? ', right' : ', wrong') : ''}`),
        drawGrid(got, { box, max: 24, marks })));
  });
}

function answersView() {
  const answers = theTask().answers;
  if (!answers.length) return [];
  return [element('h2', {}, 'Answers, by how far they are trusted'), element('div', { class: 'grids' }, ...answers.map((answer, k) =>
    element('div', {}, element('div', { class: 'muted' }, `${k + 1}: ${(100 * answer.share).toFixed(1)} %, given ${answer.times} times, first at step ${answer.first}`),
      ...testsView(answer.grids, 150))))];
}

function pairsView() {
  return [element('h2', {}, theTask().id), theTask().refused ? element('p', { class: 'bad' }, `refused: ${theTask().refused}`) : null,
    element('div', { class: 'grids' }, ...theTask().train.map((pair, k) => {
      const input = parseGrid(pair.input), output = parseGrid(pair.output);
      return element('div', { class: 'pair' }, figure(`train ${k + 1} ${sizeText(input)}`, input, { box: 150, max: 20 }), joint('→'),
        figure(sizeText(output), output, { box: 150, max: 20 }));
    }))].filter(Boolean);
}

// ---- moving ----

function show(to = {}) {
  const clip = (value, count) => Math.max(0, Math.min(count - 1, value));
  const before = [task, run];
  task = clip(to.task ?? task, data.tasks.length);
  run = clip(to.run ?? (task === before[0] ? run : 0), theTask().runs.length);
  const moved = to.force || task !== before[0] || run !== before[1];
  at = clip(to.at ?? (moved ? moments().length - 1 : at), moments().length);
  [...by('tasks').children].forEach((chip, k) => chip.setAttribute('aria-pressed', k === task));
  if (moved) {
    const seeds = theTask().runs;
    by('runs').replaceChildren(...(seeds.length > 1 ? seeds.map((one, k) => element('button', { onclick: () => show({ run: k }) }, `seed ${one.seed}`)) : []));
    by('answers').replaceChildren(...answersView());
    by('pairs').replaceChildren(...pairsView());
    by('slider').max = Math.max(0, moments().length - 1);
  }
  [...by('runs').children].forEach((chip, k) => chip.setAttribute('aria-pressed', k === run));
  by('curve').replaceChildren(...curveView());
  const m = moments()[at];
  by('now').replaceChildren(...(m ? [element('h2', {}, `Step ${m.step}: code ${m.kl.toFixed(1)}, grids ${m.rec.toFixed(2)} nats`),
    element('div', { class: 'grids' }, ...testsView(gridsAt(at), 260))] : []));
  by('slider').value = at;
  by('count').textContent = m ? `step ${m.step}` : 'no steps';
  by('back').disabled = at <= 0;
  by('next').disabled = at + 1 >= moments().length;
  writeHash({ task: task + 1, seed: run + 1, at: at + 1 });
}

by('tasks').append(...(data.tasks.length > 1 ? data.tasks.map((one, k) => element('button', { onclick: () => show({ task: k }) }, one.id)) : []));
by('slider').addEventListener('input', (event) => show({ at: +event.target.value }));
by('back').addEventListener('click', () => show({ at: at - 1 }));
by('next').addEventListener('click', () => show({ at: at + 1 }));
const controls = lookControls(by('look'), () => { if (data.tasks.length) show({ force: true, at }); });
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event)) return;
  const act = {
    ArrowLeft: () => show({ at: at - 1 }), ArrowRight: () => show({ at: at + 1 }),
    ArrowUp: () => show({ task: task - 1 }), ArrowDown: () => show({ task: task + 1 }),
    Home: () => show({ at: 0 }), End: () => show({ at: moments().length - 1 }),
    p: controls.nextPalette, d: controls.toggleDigits,
  }[event.key];
  if (!act) return;
  act();
  event.preventDefault();
});

function fromHash() {
  const hash = readHash(), number = (name) => (hash.get(name) ? +hash.get(name) - 1 : undefined);
  show({ task: number('task'), run: number('seed'), at: number('at'), force: true });
}
window.addEventListener('hashchange', fromHash);

by('title').textContent = data.title;
by('summary').textContent = data.summary || '';
if (data.tasks.length) fromHash();
document.body.dataset.ready = 'yes';
