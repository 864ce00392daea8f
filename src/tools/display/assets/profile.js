// The profile page: everything is drawn from the data above; nothing is fetched.
const data = JSON.parse(document.getElementById('data').textContent);
look.palettes = data.palettes;
look.palette = data.palette;
const $ = (id) => document.getElementById(id);

const time = (ns) => {
  if (ns == null || !isFinite(ns)) return '-';
  const steps = [[1e3, 1, 'ns'], [1e6, 1e3, 'µs'], [1e9, 1e6, 'ms'], [Infinity, 1e9, 's']];
  const [, unit, name] = steps.find(([limit]) => Math.abs(ns) < limit);
  const value = ns / unit;
  return `${value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0)} ${name}`;
};
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const priorityOf = (share) => (share > 0.1 ? 'HIGH' : share >= 0.05 ? 'MEDIUM' : share >= 0.01 ? 'LOW' : '');
const priority = (row) => (priorityOf(row.low) === priorityOf(row.high) ? priorityOf(row.low) : ''); // as the whole interval says

const state = { zoom: 0, query: '', filter: false, tasks: false, sort: 'self', down: true };
const shown = () => (state.filter ? data.kept : data.all);
const matches = (name) => state.query !== '' && name.toLowerCase().includes(state.query.toLowerCase());

// ---- phases ----
const hues = { load: 205, parse: 180, generate: 265, execute: 30, primitives: 30, dispatch: 90, setup: 230, validate: 130, scheduling: 0, store: 320, report: 55 };
function drawPhases() {
  const sum = data.phases.reduce((all, [, ns]) => all + ns, 0);
  $('phases').replaceChildren(...data.phases.map(([name, ns]) => {
    const words = `${name} ${time(ns)} (${percent(ns / sum)})`;
    const part = element('div', { title: words }, ns / sum > 0.2 ? words : ''); // what is narrow is named below
    part.style.flex = `${ns / sum} 1 0`;
    part.style.background = `hsl(${hues[name] ?? 0} 70% 72%)`;
    return part;
  }));
  $('legend').replaceChildren(...data.phases.map(([name, ns]) => {
    const swatch = element('span', { class: 'swatch' });
    swatch.style.background = `hsl(${hues[name] ?? 0} 70% 72%)`;
    return element('li', {}, swatch, `${name} ${time(ns)} (${percent(ns / sum)})`);
  }));
}

// ---- the answer: what takes the time, and what there is to gain ----
function drawAnswer() {
  const sum = shown(), share = (row) => row.self / sum.execute;
  const top = [...sum.rows].sort((a, b) => b.self - a.self).slice(0, 3).filter((row) => share(row) >= 0.03);
  const slow = data.slowest.find((task) => !state.filter || !task.outlier);
  const words = top.map((row, k) => `${row.name}${k ? '' : ' takes'} ${Math.round(100 * share(row))} %`);
  const list = words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : words.join('');
  const part = top.reduce((all, row) => all + share(row), 0), whole = (x) => `${x.toFixed(x < 10 ? 1 : 0)} times`;
  const gain = part < 0.995 ? `at most ${whole(1 / (1 - part))} as fast` : 'nearly everything';
  const texts = [];
  if (top.length) texts.push(`${list}${words.length > 1 ? ' of the time' : ' of the time'}.`,
    `With ${top.length > 1 ? 'these' : 'it'} twice as fast, programs run ${(1 / (1 - part / 2)).toFixed(2)} times as fast; without ${top.length > 1 ? 'them' : 'it'}, ${gain}.`);
  else texts.push('No primitive takes 3 % of the time: there is no single thing to make faster.');
  if (slow && slow.execute / sum.execute >= 0.1) texts.push(`Task ${slow.id} alone takes ${Math.round(100 * slow.execute / sum.execute)} %.`);
  $('answer').textContent = texts.join(' ');
}

// ---- figures, with and without outliers ----
function drawFigures() {
  const rows = [['tasks', (s) => s.tasks], ['evaluations', (s) => s.evaluations], ['calls', (s) => s.calls],
    ['time', (s) => time(s.execute)], ['a task', (s) => time(s.execute / s.tasks)], ['median task', (s) => time(s.median)],
    ['p90', (s) => time(s.p90)], ['p99', (s) => time(s.p99)], ['slowest', (s) => time(s.max)],
    ['dispatch', (s) => percent(s.dispatch / s.execute)]];
  const sides = data.outliers.length ? [['all tasks', data.all], ['without outliers', data.kept]] : [['all tasks', data.all]];
  $('figures').replaceChildren(element('table', {},
    element('thead', {}, element('tr', {}, element('th', { class: 'text' }, 'figure'), ...sides.map(([name]) => element('th', {}, name)))),
    element('tbody', {}, ...rows.map(([name, get]) =>
      element('tr', {}, element('td', {}, name), ...sides.map(([, sum]) => element('td', {}, String(get(sum)))))))));
}

// ---- flame graph ----
const trees = {};
function tree(key) {
  if (!trees[key]) {
    const nodes = data[key].map(([parent, name, calls, self, total], id) => ({ id, parent, name, calls, self, total, children: [] }));
    nodes.forEach((node) => { if (node.id) nodes[node.parent].children.push(node); });
    nodes.forEach((node) => node.children.sort((a, b) => b.total - a.total));
    trees[key] = nodes;
  }
  return trees[key];
}
const warm = (name) => {
  let hash = 0;
  for (const c of name) hash = (hash * 31 + c.charCodeAt(0)) >>> 0;
  return `hsl(${12 + (hash % 42)} ${70 + (hash % 20)}% ${62 + (hash % 14)}%)`;
};
function drawFlame() {
  const nodes = tree(state.tasks ? 'flame_tasks' : state.filter ? 'flame_kept' : 'flame'), frames = [];
  const focus = nodes[state.zoom] || nodes[0], line = 26;
  let deepest = 0;
  const place = (node, left, width, depth, above) => {
    if (width < 0.001) return;
    deepest = Math.max(deepest, depth);
    const frame = element('button', {
      class: `frame${above ? ' above' : ''}${width < 0.012 ? ' thin' : ''}${matches(node.name) ? ' hit' : state.query ? ' dim' : ''}`, 'data-name': node.name,
      title: `${node.name}: ${time(node.total)} (${percent(node.total / nodes[0].total)}), self ${time(node.self)}${node.calls ? `, ${node.calls} calls of ${time(node.total / node.calls)}` : ''}`,
      onclick: () => { state.zoom = node.id; draw(); }, onmouseenter: (event) => { $('hover').textContent = event.target.title; }, onfocus: (event) => { $('hover').textContent = event.target.title; },
    'aria-label': node.name }, width < 0.012 ? '' : node.name);
    frame.style.left = `${100 * left}%`;
    frame.style.width = `${100 * width}%`;
    frame.style.top = `${depth * line}px`;
    frame.style.background = node.id ? warm(node.name) : '#c9ccd3';
    frames.push(frame);
    if (above) return;
    let at = left;
    const children = node.children.reduce((sum, child) => sum + child.total, 0), whole = Math.max(node.total, children);
    for (const child of node.children) {
      const part = whole > 0 ? (width * child.total) / whole : 0;
      place(child, at, part, depth + 1, false);
      at += part;
    }
  };
  const path = [];
  for (let node = focus; node.id; node = nodes[node.parent]) path.unshift(nodes[node.parent]);
  path.forEach((node, depth) => place(node, 0, 1, depth, true));
  place(focus, 0, 1, path.length, false);
  $('flame').replaceChildren(...frames);
  $('flame').style.height = `${(deepest + 1) * line + 4}px`;
  const hits = nodes.filter((node) => node.id && matches(node.name));
  const share = hits.filter((node) => { // time of hits that lie in no other hit
    for (let up = nodes[node.parent]; up.id; up = nodes[up.parent]) if (matches(up.name)) return false;
    return true;
  }).reduce((sum, node) => sum + node.total, 0) / nodes[0].total;
  $('found').textContent = state.query ? `${new Set(hits.map((node) => node.name)).size} found, ${percent(share)}` : '';
  $('bytask').setAttribute('aria-pressed', state.tasks);
  $('flame').dataset.focus = focus.name;
  $('flame').dataset.frames = frames.length;
}

// ---- table ----
const columns = [['name', 'primitive'], ['calls', 'calls'], ['fails', 'failed'], ['total', 'total', time], ['self', 'self', time],
  ['each', 'per call', time], ['share', 'share', percent], ['range', '90 % interval'], ['kept', 'without outliers', percent], ['tasks', 'tasks'],
  ['spread', 'spread', (v) => (v == null ? '-' : percent(v))], ['priority', 'priority']];
function drawTable() {
  const sum = shown(), kept = new Map(data.kept.rows.map((row) => [row.name, row.self / data.kept.execute]));
  const rows = sum.rows.map((row) => ({ ...row, each: row.total / row.calls, share: row.self / sum.execute, kept: kept.get(row.name) ?? 0, range: `${(100 * row.low).toFixed(1)}–${(100 * row.high).toFixed(1)} %` }));
  const used = columns.filter(([key]) => key !== 'kept' || (data.outliers.length && !state.filter));
  const value = (row) => (state.sort === 'priority' || state.sort === 'range' ? row.share : row[state.sort]);
  rows.sort((a, b) => {
    const x = value(a), y = value(b), order = typeof x === 'string' ? x.localeCompare(y) : (x ?? -1) - (y ?? -1);
    return (state.down ? -order : order) || a.name.localeCompare(b.name);
  });
  $('table').tHead.replaceChildren(element('tr', {}, ...used.map(([key, title]) => element('th', {
    'data-key': key, 'aria-sort': state.sort === key ? (state.down ? 'descending' : 'ascending') : 'none',
  }, element('button', {
    onclick: () => { state.down = state.sort === key ? !state.down : key !== 'name'; state.sort = key; drawTable(); focusOn(key); },
  }, title)))));
  $('table').tBodies[0].replaceChildren(...rows.filter((row) => !state.query || matches(row.name)).map((row) => {
    const tr = element('tr', {}, ...used.map(([key, , show]) => {
      if (key === 'priority') return element('td', { class: `text ${priority(row)}` }, priority(row) + (row.spread > 0.1 ? ' unstable' : ''));
      const cell = element('td', {}, show ? show(row[key]) : String(row[key]));
      if (key === 'share') {
        const meter = element('span', { class: 'meter' });
        meter.style.width = `${Math.round(80 * row.share)}px`;
        cell.append(meter);
      }
      return cell;
    }));
    return tr;
  }));
}

const focusOn = (key) => $('table').querySelector(`th[data-key="${key}"] button`).focus();

// ---- before and after ----
function drawChanges() {
  if (!data.before) return;
  $('changes-section').hidden = false;
  const before = new Map(data.before.rows.map((row) => [row.name, row.self])), after = new Map(data.kept.rows.map((row) => [row.name, row.self]));
  const rows = [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, before: before.get(name) ?? 0, after: after.get(name) ?? 0 }))
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
  rows.unshift({ name: 'all evaluations', before: data.before.execute, after: data.kept.execute });
  $('changes').tHead.replaceChildren(element('tr', {}, ...['row', 'before', 'after', 'difference', 'change'].map((name) => element('th', {}, name))));
  $('changes').tBodies[0].replaceChildren(...rows.map((row) => element('tr', {}, element('td', {}, row.name), element('td', {}, time(row.before)),
    element('td', {}, time(row.after)), element('td', {}, time(row.after - row.before)),
    element('td', { class: row.after > row.before ? 'bad' : 'good' }, row.before ? `${(100 * (row.after / row.before - 1)).toFixed(1)} %` : 'new'))));
}

// ---- tasks ----
const spent = (task) => [...task.rows].sort((a, b) => b[1] - a[1]).slice(0, 3).map(([name, share]) => `${name} ${percent(share)}`).join(', ');
function drawTasks() {
  $('slowest').replaceChildren(...data.slowest.map((task) => element('article', { 'data-task': task.id },
    element('h3', {}, `${task.id} · ${time(task.execute)}`, task.outlier ? element('span', { class: 'badge' }, 'outlier') : null),
    element('p', { class: 'muted' }, spent(task)),
    ...task.pairs.map((pair) => element('div', { class: 'pair' }, drawGrid(parseGrid(pair.input), { box: 150 }), joint('→'),
      drawGrid(parseGrid(pair.output), { box: 150 }))))));
  if (!data.outliers.length) {
    $('without').hidden = true;
    return;
  }
  $('outliers-section').hidden = false;
  $('method').textContent = data.method;
  $('outliers').replaceChildren(element('table', {}, element('thead', {}, element('tr', {}, ...['task', 'time', 'why', 'spent on'].map((name) => element('th', { class: 'text' }, name)))),
    element('tbody', {}, ...data.outliers.map((task) => element('tr', {}, element('td', {}, task.id), element('td', {}, time(task.execute)),
      element('td', { class: 'text' }, task.over_budget ? `${task.over_budget} of ${task.evaluations} out of ${task.reason}` : `${task.deviations} deviations`),
      element('td', { class: 'text' }, spent(task)))))));
}

function draw() {
  drawAnswer();
  drawFlame();
  drawTable();
  writeHash({ q: state.query, without: state.filter ? '1' : '', tasks: state.tasks ? '1' : '', zoom: state.zoom || '', sort: state.sort === 'self' ? '' : state.sort });
}

const hash = readHash();
state.query = hash.get('q') ?? '';
state.filter = hash.get('without') === '1' && data.outliers.length > 0;
state.tasks = hash.get('tasks') === '1' && data.flame_tasks.length > 0;
state.zoom = Number(hash.get('zoom')) || 0;
state.sort = hash.get('sort') || 'self';
state.down = state.sort !== 'name';
document.title = data.title;
$('title').textContent = data.title;
$('summary').textContent = data.summary ?? '';
$('query').value = state.query;
$('filter').checked = state.filter;
$('query').addEventListener('input', () => { state.query = $('query').value.trim(); draw(); });
$('filter').addEventListener('change', () => { state.filter = $('filter').checked; state.zoom = 0; draw(); });
$('reset').addEventListener('click', () => { state.zoom = 0; draw(); });
$('bytask').hidden = !data.flame_tasks.length;
const byTask = () => { state.tasks = !state.tasks; state.zoom = 0; draw(); };
$('bytask').addEventListener('click', byTask);
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    state.zoom = 0;
    state.query = $('query').value = '';
    $('query').blur();
  } else if (typing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  else if (event.key === '/') {
    $('query').focus();
    event.preventDefault();
    return;
  } else if (event.key === 't' && data.flame_tasks.length) {
    byTask();
    return;
  } else if (event.key === 'o' && data.outliers.length) {
    state.filter = $('filter').checked = !state.filter;
    state.zoom = 0;
  } else return;
  draw();
});
drawPhases();
drawFigures();
drawChanges();
drawTasks();
draw();
document.body.dataset.ready = 'yes';
