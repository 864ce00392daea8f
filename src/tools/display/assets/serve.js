// The page of batt serve. Everything is asked of the server that sent it, below the address it has.
const data = JSON.parse(document.getElementById('data').textContent);
look.palettes = data.palettes;
look.palette = data.palette;
const $ = (id) => document.getElementById(id);
const state = { task: null, sample: 0, asked: 0, shown: 0, timer: 0, words: [], choice: 0, tasks: [], grids: null, test: 0, drawn: {} };

async function ask(what, body) {
  const reply = await fetch(what, body ? { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) } : {});
  const answer = await reply.json();
  if (!reply.ok) throw new Error(answer.error || `status ${reply.status}`);
  return answer;
}
const say = (text, bad) => {
  $('status').textContent = text;
  $('status').className = bad ? 'bad' : 'muted';
};
const tell = (error) => say(error.message, true);
// A picture of its own document, so that its styles stay there.
const picture = (svg, alt) => element('img', { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt });
const empty = (id, ...children) => $(id).replaceChildren(...children);

// ---- tasks ----

const current = () => state.tasks.find((task) => task.id === state.task);
const inRange = (count, range) => !range || (count >= +range.split('-')[0] && count <= +range.split('-')[1]);
const sizeFits = (task, size) => !size || (size === 'same' ? task.same_size : size === 'other' ? !task.same_size : task.side <= +size);
const taskFits = (task) => task.id.toLowerCase().includes($('filter').value.trim().toLowerCase()) &&
  (!$('solved').value || task.solved === ($('solved').value === 'yes')) && sizeFits(task, $('size').value) && inRange(task.colors, $('count').value);

function taskButton(task) {
  const small = { box: 34, max: 8 };
  return element('li', {}, element('button', {
    'aria-current': String(task.id === state.task), class: task.solved ? 'solved' : '', title: task.solved ? 'solved' : null,
    onclick: () => choose(task.id).catch(tell),
  }, task.input ? drawGrid(parseGrid(task.input), small) : null, task.output ? drawGrid(parseGrid(task.output), small) : null, task.id));
}

function listTasks() {
  const max = 300, fitting = state.tasks.filter(taskFits);
  empty('tasks', ...fitting.slice(0, max).map(taskButton));
  if (fitting.length === 0) $('tasks').append(element('li', { class: 'muted' }, 'no task fits'));
  if (fitting.length > max) $('tasks').append(element('li', { class: 'muted' }, `and ${fitting.length - max} more`));
}

// Right wherever the output is known.
const solves = (pairs) => pairs.every((pair) => pair.verdict === 'right' || pair.verdict === 'answer unknown');

function markSolved() {
  const task = current();
  if (!task || task.solved) return;
  task.solved = true;
  listTasks();
}

function showTask() {
  const box = Math.max(120, Math.min(300, ($('drawing').clientWidth - 60) / 2));
  const pairs = state.grids.train.map((pair, k) => element('div', { class: 'pair' },
    figure(`training ${k + 1} · input ${sizeText(parseGrid(pair.input))}`, parseGrid(pair.input), { box, max: 30 }), joint('→'),
    figure(`output ${sizeText(parseGrid(pair.output))}`, parseGrid(pair.output), { box, max: 30 })));
  empty('drawing', ...pairs);
}

async function choose(id) {
  state.grids = await ask(`task/${encodeURIComponent(id)}`);
  state.task = id;
  state.sample = 0;
  state.test = 0;
  state.drawn = {};
  location.hash = `task=${encodeURIComponent(id)}`;
  $('task').textContent = `Task ${id}`;
  showTask();
  showTest(0);
  const saved = sessionStorage.getItem(`program ${id}`);
  $('program').value = saved || `def solve_${id}(I):\n    O = I\n    return O\n`;
  listTasks();
  const place = $('tasks').closest('nav'), mine = $('tasks').querySelector('[aria-current=true]');
  if (mine) place.scrollTop = mine.offsetTop - place.offsetTop - place.clientHeight / 2; // not scrollIntoView: the page stays
  await step();
}

async function addFiles(files) {
  let last = null;
  for (const file of files) {
    const answer = await ask('tasks', { name: file.name, text: await file.text() });
    last = answer.added[0];
  }
  state.tasks = (await ask('tasks')).tasks;
  if (last) await choose(last);
}

// ---- drawing an answer ----

const MAX_SIDE = 30;
const blank = (rows, columns) => Array.from({ length: rows }, () => Array(columns).fill(0));
const copyOf = (grid) => grid.map((row) => [...row]);
const pen = { color: 1, fill: false, at: [0, 0], down: false, wrong: null };
const answer = () => state.drawn[state.test];

function showTest(number) {
  state.test = number;
  const test = state.grids.test, given = test[number];
  empty('tests', ...(test.length > 1 ? test.map((_, k) => element('button', {
    'aria-pressed': String(k === number), onclick: () => showTest(k) }, `test ${k + 1}`)) : []));
  const input = given ? parseGrid(given.input) : null;
  if (!state.drawn[number]) state.drawn[number] = { grid: input && input.length <= MAX_SIDE && input[0].length <= MAX_SIDE ? blank(input.length, input[0].length) : blank(3, 3), past: [] };
  pen.at = [0, 0];
  pen.wrong = null;
  $('judged').textContent = '';
  empty('question', input ? figure(`test ${number + 1} · input ${sizeText(input)}`, input, { box: answerBox(), max: 30 }) : element('p', { class: 'muted' }, 'no test input'));
  paint();
}

// Input and answer stand side by side where there is room for both.
function answerBox() {
  const room = $('question').parentElement.clientWidth;
  return room < 420 ? Math.max(160, Math.min(320, room)) : Math.min(320, (room - 24) / 2);
}

function paint() {
  const { grid } = answer(), old = $('canvas');
  pen.cell = fitCell(grid, answerBox(), 30);
  $('drawn').textContent = `your answer ${sizeText(grid)}`;
  const drawn = drawGrid(grid, { cell: pen.cell, marks: pen.wrong });
  old.width = drawn.width;
  old.height = drawn.height;
  old.style.width = drawn.style.width;
  old.style.height = drawn.style.height;
  const on = old.getContext('2d'), ratio = drawn.width / parseFloat(drawn.style.width);
  on.drawImage(drawn, 0, 0);
  old.setAttribute('role', 'img');
  old.setAttribute('aria-label', `your answer, ${drawn.getAttribute('aria-label')}, at row ${pen.at[0] + 1}, column ${pen.at[1] + 1}`);
  if (document.activeElement === old) {
    for (const [width, color] of [[4, '#fff'], [2, '#d000d0']]) {
      on.lineWidth = width * ratio;
      on.strokeStyle = color;
      on.strokeRect((pen.at[1] * pen.cell + 1) * ratio, (pen.at[0] * pen.cell + 1) * ratio, (pen.cell - 1) * ratio, (pen.cell - 1) * ratio);
    }
  }
  $('rows').value = grid.length;
  $('columns').value = grid[0].length;
  $('undo').disabled = answer().past.length === 0;
  empty('brushes', ...look.palettes[look.palette].colors.map((color, k) => {
    const made = element('button', { 'aria-pressed': String(k === pen.color), 'aria-label': `${k}: ${COLOR_NAMES[k]}`, onclick: () => { pen.color = k; paint(); $('brushes').children[k].focus(); } }, String(k));
    made.style.background = color;
    made.style.color = isLight(color) ? '#000' : '#fff';
    return made;
  }));
  $('fill').setAttribute('aria-pressed', pen.fill);
}

function change(make) {
  const one = answer(), next = make(copyOf(one.grid));
  one.past.push(one.grid);
  if (one.past.length > 200) one.past.shift();
  one.grid = next;
  pen.wrong = null;
  $('judged').textContent = '';
  pen.at = [Math.min(pen.at[0], next.length - 1), Math.min(pen.at[1], next[0].length - 1)];
  paint();
}

function flood(grid, r, c, color) {
  const old = grid[r][c], open = [[r, c]];
  while (old !== color && open.length > 0) {
    const [y, x] = open.pop();
    if (!grid[y] || grid[y][x] !== old) continue;
    grid[y][x] = color;
    open.push([y + 1, x], [y - 1, x], [y, x + 1], [y, x - 1]);
  }
  return grid;
}

function put(r, c) {
  if (answer().grid[r][c] === pen.color) return paint();
  return change((grid) => {
    if (pen.fill) return flood(grid, r, c, pen.color);
    grid[r][c] = pen.color;
    return grid;
  });
}

const resized = (rows, columns) => (grid) => blank(rows, columns).map((row, r) => row.map((_, c) => (grid[r] && grid[r][c]) || 0));
const side = (field) => Math.max(1, Math.min(MAX_SIDE, Math.round(+field.value) || 1));
const copyInput = () => { const input = state.grids.test[state.test]; if (input) change(() => parseGrid(input.input)); };
const undo = () => { const one = answer(); if (one.past.length) { one.grid = one.past.pop(); pen.wrong = null; paint(); } };

function check() {
  const test = state.grids.test[state.test], expected = test && parseGrid(test.output), { grid } = answer();
  const say_ = (text, kind) => { $('judged').textContent = text; $('judged').className = kind; };
  if (!expected) return say_('The expected output of this test is not known.', 'muted');
  if (sizeText(expected) !== sizeText(grid)) return say_(`Wrong size: ${sizeText(grid)}.`, 'bad');
  pen.wrong = diffMarks(expected, grid);
  const wrong = pen.wrong.flat().filter((mark) => mark === 'w').length;
  paint();
  return wrong ? say_(`${wrong} of ${grid.length * grid[0].length} cells wrong.`, 'bad') : say_('Right.', 'good');
}

function pointed(event) {
  const box = $('canvas').getBoundingClientRect(), { grid } = answer();
  const r = Math.floor((event.clientY - box.top) / pen.cell), c = Math.floor((event.clientX - box.left) / pen.cell);
  if (!grid[r] || grid[r][c] === undefined) return;
  pen.at = [r, c];
  put(r, c);
}

function drawKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { grid } = answer(), go = (r, c) => () => { pen.at = [Math.max(0, Math.min(grid.length - 1, pen.at[0] + r)), Math.max(0, Math.min(grid[0].length - 1, pen.at[1] + c))]; paint(); };
  const keys = {
    ArrowUp: go(-1, 0), ArrowDown: go(1, 0), ArrowLeft: go(0, -1), ArrowRight: go(0, 1), ' ': () => put(...pen.at), Enter: () => put(...pen.at),
    f: () => { pen.fill = !pen.fill; paint(); }, c: copyInput, u: undo, Escape: () => $('canvas').blur(),
  };
  if (/^[0-9]$/.test(event.key)) pen.color = +event.key, paint();
  else if (keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
}

// ---- the program and its steps ----

const pressed = (verdict) => (verdict === 'right' ? 'good' : verdict === 'answer unknown' ? 'muted' : 'bad');

function showPairs(pairs) {
  empty('pairs', ...pairs.map((pair, k) => element('button', {
    'aria-pressed': String(k === state.sample), class: pressed(pair.verdict), title: pair.verdict,
    onclick: () => { state.sample = k; step().catch(tell); },
  }, `${pair.label}: ${pair.verdict}`)));
}

// Errors at their places: the text once more behind the field, with marks where something is wrong.
function showErrors(errors) {
  const text = $('program').value, lines = text.split('\n'), marks = [];
  for (const error of errors) {
    const line = Array.from(lines[error.line - 1] || ''), from = Math.min(error.column - 1, line.length);
    const word = /^\w+/.exec(line.slice(from).join(''));
    const before = lines.slice(0, error.line - 1).reduce((sum, l) => sum + l.length + 1, 0) + line.slice(0, from).join('').length;
    marks.push({ at: before, end: before + (word ? word[0].length : 1), error });
  }
  marks.sort((a, b) => a.at - b.at);
  let at = 0;
  const parts = [];
  for (const mark of marks) {
    if (mark.at < at) continue;
    parts.push(text.slice(at, mark.at), element('mark', { class: mark.error.warning ? 'warn' : '' }, text.slice(mark.at, mark.end) || ' '));
    at = mark.end;
  }
  empty('behind', ...parts, text.slice(at), '\n');
  $('behind').scrollTop = $('program').scrollTop;
  empty('errors', ...marks.map(({ at: place, error }) => element('li', {
    class: error.warning ? 'warn' : 'bad',
    onclick: () => { $('program').focus(); $('program').setSelectionRange(place, place); },
  }, `line ${error.line}, column ${error.column}: ${error.text}`)));
}

function showStep(one) {
  return element('li', {},
    element('div', { class: 'bar' }, element('code', {}, one.source), element('span', { class: 'muted' }, one.type)),
    one.failed ? element('div', { class: 'bad' }, one.failed) : one.text ? element('div', {}, one.text) : null,
    one.svg ? picture(one.svg, `value of ${one.source}`) : null);
}

function showResult(pair) {
  const given = [...state.grids.train, ...state.grids.test][state.sample], expected = parseGrid(given.output), got = parseGrid(pair.output);
  const size = { box: 240, max: 26 };
  empty('result', figure(`expected ${sizeText(expected)}`, expected, size),
    figure(`got ${sizeText(got)}, ${pair.verdict}`, got, { ...size, marks: expected && got ? diffMarks(expected, got) : null }));
}

async function step() {
  if (!state.task) return;
  const number = ++state.asked, program = $('program').value;
  sessionStorage.setItem(`program ${state.task}`, program);
  const answer = await ask('steps', { task: state.task, program, sample: state.sample });
  if (number < state.shown) return; // a later one was faster
  state.shown = number;
  showErrors(answer.errors);
  document.body.classList.toggle('stale', !answer.steps);
  if (!answer.steps) { // what was drawn last stays, paler, until the text is a program again
    say('not a program yet: see the mark in the text', true);
    return;
  }
  showPairs(answer.pairs);
  empty('steps', ...answer.steps.map(showStep));
  showResult(answer.pairs[state.sample]);
  const right = answer.pairs.filter((pair) => pair.verdict === 'right').length;
  say(`${right} of ${answer.pairs.length} pairs right`);
  if (solves(answer.pairs)) markSolved();
  document.body.dataset.right = `${right}/${answer.pairs.length}`;
}

const typed = () => {
  clearTimeout(state.timer);
  state.timer = setTimeout(() => step().catch(tell), 120);
};

async function keep(program) {
  const answer = await ask('keep', { task: state.task, program });
  if (answer.kept) say('kept in the store');
  else showErrors(answer.errors);
}

// ---- completion ----

const wordBefore = (field) => /[A-Za-z_]\w*$/.exec(field.value.slice(0, field.selectionStart));

// Below the line that is being written: the text behind the field has the same layout, so a mark in it says where.
function placeOfWord(field, length) {
  const mark = element('span', {}, '\u200b'), start = field.selectionStart - length, text = field.value;
  $('behind').replaceChildren(text.slice(0, start), mark, text.slice(start), '\n');
  $('behind').scrollTop = field.scrollTop;
  return [mark.offsetLeft, mark.offsetTop + mark.offsetHeight - field.scrollTop];
}

// "grid: grid, obj: object -> grid" as a call: what comes in, what comes out.
function asCall(word) {
  const [given, result] = word.signature.split(' -> ');
  return result ? [`(${given})`, ` → ${result}`].join('') : '';
}

function complete() {
  const word = wordBefore($('program')), list = $('completion');
  const fitting = word && word[0].length > 1
    ? state.words.filter((w) => w.name.startsWith(word[0]) && w.name !== word[0]).slice(0, 8) : [];
  state.choice = 0;
  list.hidden = fitting.length === 0;
  list.replaceChildren(...fitting.map((w, k) => element('li', {
    role: 'option', 'aria-selected': String(k === 0), title: w.doc, 'data-name': w.name,
    onmousedown: (event) => { event.preventDefault(); take(w.name); },
  }, element('b', {}, w.name), element('span', { class: 'muted' }, asCall(w)),
  w.doc ? element('div', { class: 'doc muted' }, w.doc) : null)));
  if (fitting.length > 0) {
    const [left, top] = placeOfWord($('program'), word[0].length);
    list.style.left = `${Math.min(left, $('program').offsetWidth / 3)}px`;
    list.style.top = `${top + 3}px`;
  }
}

function take(name) {
  const field = $('program'), word = wordBefore(field);
  field.setRangeText(name, field.selectionStart - word[0].length, field.selectionStart, 'end');
  $('completion').hidden = true;
  typed();
}

function pressedKey(event) {
  const list = $('completion'), items = Array.from(list.children);
  if (list.hidden && event.key === 'Escape') { // Tab indents here, so that another key must lead out
    $('keep').hidden ? $('search').focus() : $('keep').focus();
    return;
  }
  if (list.hidden) {
    const field = event.target, before = field.value.slice(0, field.selectionStart), line = before.slice(before.lastIndexOf('\n') + 1);
    const text = event.key === 'Tab' ? '    ' : event.key === 'Enter' ? `\n${/^ */.exec(line)[0]}${line.endsWith(':') ? '    ' : ''}` : null;
    if (text !== null && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
      typed();
    }
    return;
  }
  if (event.key === 'Escape') list.hidden = true;
  else if (event.key === 'Tab' || event.key === 'Enter') take(items[state.choice].dataset.name);
  else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    state.choice = (state.choice + (event.key === 'ArrowDown' ? 1 : items.length - 1)) % items.length;
    items.forEach((item, k) => item.setAttribute('aria-selected', String(k === state.choice)));
  } else return;
  event.preventDefault();
}

// ---- search ----

// What candidates answer, by program: asked once for the first of them, and drawn.
const answers = new Map();
const MAX_DRAWN = 8;

async function drawAnswers(found, place) {
  const key = `${state.searched} ${found.program}`;
  if (!answers.has(key)) answers.set(key, ask('pairs', { task: state.searched, program: found.program }));
  const { pairs } = await answers.get(key);
  if (!pairs) return;
  const tests = pairs.filter((pair) => pair.label.startsWith('test'));
  place.replaceChildren(...tests.map((pair) => figure(`${pair.label}: ${pair.verdict}`, parseGrid(pair.output), { box: 130, max: 16 })));
  if (state.searched === state.task && solves(pairs)) markSolved();
  if (state.searched === state.task && tests[state.test]?.output)
    place.append(element('button', { onclick: () => change(() => parseGrid(tests[state.test].output)) }, 'Use as my answer'));
}

function showCandidate(found, k) {
  const fits = found.right === found.pairs, drawn = element('div', { class: 'grids' });
  if (k < MAX_DRAWN) drawAnswers(found, drawn).catch(tell);
  return element('li', {},
    element('div', { class: 'bar' },
      element('span', { class: `badge ${fits ? 'good' : 'warn'}` }, `${found.right} of ${found.pairs} pairs`),
      element('span', { class: 'muted' }, `${found.strategy}, after ${found.cpu_seconds} s CPU${found.kept ? ', kept' : ''}`),
      element('button', { class: 'push', onclick: () => { $('program').value = found.program; step().catch(tell); } }, 'Open'),
      data.store ? element('button', { onclick: () => keep(found.program).catch(tell) }, 'Keep') : null),
    drawn, element('details', {}, element('summary', {}, 'program'), element('pre', {}, found.program)));
}

async function watch() {
  const now = await ask('search');
  const list = JSON.stringify([now.task, now.candidates]);
  if (list !== state.candidates) { // drawn again only if something is new: focus and open programs stay
    state.candidates = list;
    state.searched = now.task;
    empty('candidates', ...now.candidates.map(showCandidate));
  }
  const time = now.running ? `running for ${now.wall_seconds.toFixed(1)} s, limit ${now.limit_cpu_seconds} s CPU`
    : `${(now.cpu_seconds ?? 0).toFixed(1)} of ${now.limit_cpu_seconds} s CPU, ${now.wall_seconds.toFixed(1)} s wall clock`;
  $('progress').textContent = now.task ? `${now.task}: ${now.offered} found; ${time}` : '';
  $('stop').disabled = !now.running;
  document.body.dataset.search = now.running ? 'running' : now.task ? 'over' : '';
  if (now.error) say(now.error, true);
  if (now.running) setTimeout(() => watch().catch(tell), 300);
}

async function search() {
  await ask('search', { task: state.task, seconds: +$('seconds').value });
  await watch();
}

// ---- begin ----

async function begin() {
  $('summary').textContent = data.summary;
  $('keep').hidden = !data.store;
  $('nowhere').hidden = data.store;
  empty('seconds', ...[1, 5, 20, 60, 300].filter((s) => s <= data.max_seconds)
    .map((s) => element('option', { value: s, selected: s === 5 }, `${s} s CPU`)));
  const [words, tasks] = [await ask('words'), await ask('tasks')];
  state.words = [...words.primitives, ...words.constants.map((name) => ({ name, signature: '', doc: '' }))];
  state.tasks = tasks.tasks;
  const given = new URLSearchParams(location.hash.slice(1)), first = given.get('task');
  await choose(state.tasks.some((task) => task.id === first) ? first : state.tasks[0].id);
  if (given.has('program')) {
    $('program').value = given.get('program');
    await step();
  }
  if (given.has('search')) await search();
  lookControls($('look'), () => { showTask(); showTest(state.test); listTasks(); step().catch(tell); });
  document.body.dataset.ready = 'yes';
}

for (const id of ['filter', 'solved', 'size', 'count']) $(id).addEventListener('input', listTasks);
$('file').addEventListener('change', (event) => addFiles(event.target.files).catch(tell));
document.addEventListener('dragover', (event) => { event.preventDefault(); document.body.classList.add('dropping'); });
document.addEventListener('dragleave', () => document.body.classList.remove('dropping'));
document.addEventListener('drop', (event) => {
  event.preventDefault();
  document.body.classList.remove('dropping');
  addFiles(event.dataTransfer.files).catch(tell);
});
$('canvas').addEventListener('pointerdown', (event) => { pen.down = !pen.fill; $('canvas').focus(); pointed(event); });
$('canvas').addEventListener('pointermove', (event) => { if (pen.down) pointed(event); });
document.addEventListener('pointerup', () => { pen.down = false; });
$('canvas').addEventListener('keydown', drawKey);
$('canvas').addEventListener('focus', paint);
$('canvas').addEventListener('blur', paint);
$('fill').addEventListener('click', () => { pen.fill = !pen.fill; paint(); });
for (const id of ['rows', 'columns'])
  $(id).addEventListener('change', () => change(resized(side($('rows')), side($('columns')))));
$('copy').addEventListener('click', copyInput);
$('clear').addEventListener('click', () => change((grid) => blank(grid.length, grid[0].length)));
$('undo').addEventListener('click', undo);
$('check').addEventListener('click', check);
$('program').addEventListener('input', () => { complete(); typed(); });
$('program').addEventListener('keydown', pressedKey);
$('program').addEventListener('blur', () => { $('completion').hidden = true; });
$('program').addEventListener('scroll', () => { $('behind').scrollTop = $('program').scrollTop; });
$('search').addEventListener('click', () => search().catch(tell));
$('stop').addEventListener('click', () => ask('stop', {}).catch(tell));
$('keep').addEventListener('click', () => keep($('program').value).catch(tell));
begin().catch(tell);
