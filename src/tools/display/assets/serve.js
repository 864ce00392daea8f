// The page of batt serve. Everything is asked of the server that sent it, below the address it has.
const data = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);
const state = { task: null, sample: 0, asked: 0, shown: 0, timer: 0, words: [], choice: 0, tasks: [] };

async function ask(what, body) {
  const reply = await fetch(what, body ? { method: 'POST', body: JSON.stringify(body) } : {});
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
const picture = (svg) => element('img', { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt: '' });
const empty = (id, ...children) => $(id).replaceChildren(...children);

// ---- tasks ----

function listTasks() {
  const wanted = $('filter').value.trim().toLowerCase(), max = 500;
  const fitting = state.tasks.filter((id) => id.toLowerCase().includes(wanted));
  empty('tasks', ...fitting.slice(0, max).map((id) => element('li', {},
    element('button', { 'aria-current': String(id === state.task), onclick: () => choose(id) }, id))));
  if (fitting.length > max) $('tasks').append(element('li', { class: 'muted' }, `and ${fitting.length - max} more`));
}

async function choose(id) {
  const task = await ask(`task/${encodeURIComponent(id)}`);
  state.task = id;
  state.sample = 0;
  location.hash = `task=${encodeURIComponent(id)}`;
  $('task').textContent = `Task ${id}`;
  empty('drawing', picture(task.svg));
  const saved = sessionStorage.getItem(`program ${id}`);
  $('program').value = saved || `def solve_${id}(I):\n    O = I\n    return O\n`;
  listTasks();
  await step();
}

// ---- the program and its steps ----

const pressed = (verdict) => (verdict === 'right' ? 'good' : verdict === 'answered' ? 'muted' : 'bad');

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
    one.svg ? picture(one.svg) : null);
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
  empty('result', picture(answer.result));
  const right = answer.pairs.filter((pair) => pair.verdict === 'right').length;
  say(`${right} of ${answer.pairs.length} pairs right`);
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

function showCandidate(found) {
  const fits = found.right === found.pairs;
  return element('li', {},
    element('div', { class: 'bar' },
      element('span', { class: `badge ${fits ? 'good' : 'warn'}` }, `${found.right} of ${found.pairs}`),
      element('span', { class: 'muted' }, `${found.strategy}, after ${found.seconds} s${found.kept ? ', kept' : ''}`),
      element('button', { class: 'push', onclick: () => { $('program').value = found.program; step().catch(tell); } }, 'look at it'),
      data.store ? element('button', { onclick: () => keep(found.program).catch(tell) }, 'keep') : null),
    element('pre', {}, found.program));
}

async function watch() {
  const now = await ask('search');
  empty('candidates', ...now.candidates.map(showCandidate));
  $('progress').textContent = now.task
    ? `${now.task}: ${now.elapsed.toFixed(1)} of ${now.seconds} s, ${now.offered} found${now.running ? '' : ', over'}` : '';
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
    .map((s) => element('option', { value: s, selected: s === 5 }, `${s} s`)));
  const [words, tasks] = [await ask('words'), await ask('tasks')];
  state.words = [...words.primitives, ...words.constants.map((name) => ({ name, signature: '', doc: '' }))];
  state.tasks = tasks.tasks;
  const given = new URLSearchParams(location.hash.slice(1)), first = given.get('task');
  await choose(state.tasks.includes(first) ? first : state.tasks[0]);
  if (given.has('program')) {
    $('program').value = given.get('program');
    await step();
  }
  if (given.has('search')) await search();
  document.body.dataset.ready = 'yes';
}

$('filter').addEventListener('input', listTasks);
$('program').addEventListener('input', () => { complete(); typed(); });
$('program').addEventListener('keydown', pressedKey);
$('program').addEventListener('blur', () => { $('completion').hidden = true; });
$('program').addEventListener('scroll', () => { $('behind').scrollTop = $('program').scrollTop; });
$('search').addEventListener('click', () => search().catch(tell));
$('stop').addEventListener('click', () => ask('stop', {}).catch(tell));
$('keep').addEventListener('click', () => keep($('program').value).catch(tell));
begin().catch(tell);
