'use strict';
// Drawing grids on canvases. A grid arrives as text, rows of digits joined by '|', '?' for what is no color; marks as
// text of the same shape: '.' plain, 'w' wrong, 'd' dimmed, 'l' lit, 'v' no cell.

const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'class') made.className = value;
    else if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
};

const parseGrid = (text) => {
  if (text == null) return null;
  return text === '' ? [] : text.split('|').map((row) => Array.from(row, (c) => (c >= '0' && c <= '9' ? +c : -1)));
};

const sizeText = (grid) => (!grid ? '?' : !grid.length ? 'empty' : `${grid.length}x${grid[0].length}`);

// Which cells of `got` differ from `expected`, or lie outside it.
const diffMarks = (expected, got) =>
  got.map((row, r) => row.map((cell, c) => (expected[r] && expected[r][c] === cell ? '.' : 'w')));

const look = { palettes: {}, palette: 'classic', digits: false };

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const isLight = (hex) => {
  const [r, g, b] = rgb(hex);
  return 0.299 * r + 0.587 * g + 0.114 * b > 110;
};
const dimmed = (hex) => `rgba(${rgb(hex).map((v) => Math.round(0.6 * v + 0.4 * 128)).join(', ')}, 0.35)`;

// Pixels per cell, so that the longer side fits into `box`.
const fitCell = (grid, box, max) => {
  const longest = Math.max(grid.length, grid[0].length, 1);
  return Math.max(1, Math.min(max, Math.floor((box - 1) / longest)));
};

function drawGrid(grid, { box = 64, max = 24, cell = 0, marks = null, groups = null } = {}) {
  if (!grid || !grid.length) return element('div', { class: 'nothing' }, grid ? 'empty' : '?');
  const { colors, line } = look.palettes[look.palette];
  const size = cell || fitCell(grid, box, max), ratio = Math.ceil(window.devicePixelRatio || 1);
  const rows = grid.length, columns = grid[0].length, lined = size >= 4;
  const width = columns * size + (lined ? 1 : 0), height = rows * size + (lined ? 1 : 0);
  const canvas = element('canvas', { width: width * ratio, height: height * ratio, role: 'img' });
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.setAttribute('aria-label', `grid ${rows} by ${columns}: ${grid.map((r) => r.map((v) => (v < 0 ? '?' : v)).join('')).join(' ')}`);
  const pen = canvas.getContext('2d');
  pen.scale(ratio, ratio);
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.font = `${Math.round(size * 0.6)}px ui-monospace, "DejaVu Sans Mono", monospace`;
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      const value = grid[r][c], mark = marks ? marks[r][c] : '.', x = c * size, y = r * size;
      if (mark === 'v') continue;
      const color = value < 0 ? '#5b5b66' : colors[value];
      if (lined) { // the cell's own frame: where there is no cell there is no line either
        pen.fillStyle = line;
        pen.fillRect(x, y, size + 1, size + 1);
      }
      const [left, top, side] = lined ? [x + 1, y + 1, size - 1] : [x, y, size];
      if (mark === 'd') pen.clearRect(left, top, side, side);
      pen.fillStyle = mark === 'd' ? dimmed(color) : color;
      pen.fillRect(left, top, side, side);
      if (value < 0 && mark !== 'd') hatch(pen, left, top, side);
      if (mark === 'w') frameWrong(pen, left, top, side);
      if (look.digits && value >= 0 && size >= 8 && mark !== 'd') {
        pen.fillStyle = isLight(color) ? '#000' : '#fff';
        pen.fillText(value, left + side / 2, top + side / 2 + 0.5);
      }
    }
  if (groups) outlineGroups(pen, groups, size);
  return canvas;
}

function hatch(pen, x, y, side) {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, side, side);
  pen.clip();
  pen.strokeStyle = '#c9c9d4';
  pen.lineWidth = 1;
  for (let d = 3; d < 2 * side; d += 4) {
    pen.moveTo(x + d, y);
    pen.lineTo(x, y + d);
  }
  pen.stroke();
  pen.restore();
}

// White around red shows on every color.
function frameWrong(pen, x, y, side) {
  const thick = side >= 12 ? 2 : 1;
  if (side < 5) {
    pen.fillStyle = '#fff';
    pen.fillRect(x, y, side, side);
    pen.fillStyle = '#e00020';
    pen.fillRect(x + (side > 2 ? 1 : 0), y + (side > 2 ? 1 : 0), Math.max(1, side - 2), Math.max(1, side - 2));
    return;
  }
  pen.lineWidth = thick;
  pen.strokeStyle = '#fff';
  pen.strokeRect(x + thick / 2, y + thick / 2, side - thick, side - thick);
  pen.strokeStyle = '#e00020';
  pen.strokeRect(x + 1.5 * thick, y + 1.5 * thick, side - 3 * thick, side - 3 * thick);
}

// A line wherever a cell's neighbor belongs to another object.
function outlineGroups(pen, groups, size) {
  const at = (r, c) => (groups[r] && groups[r][c]) || 0;
  for (const [width, color] of [[4, '#ffffff'], [2, '#d000d0']]) {
    pen.beginPath();
    pen.lineWidth = size >= 10 ? width : width / 2;
    pen.strokeStyle = color;
    pen.lineCap = 'square';
    groups.forEach((row, r) => row.forEach((group, c) => {
      if (!group) return;
      const x = c * size + 0.5, y = r * size + 0.5;
      for (const [dr, dc, x1, y1, x2, y2] of [
        [-1, 0, 0, 0, size, 0], [1, 0, 0, size, size, size], [0, -1, 0, 0, 0, size], [0, 1, size, 0, size, size]])
        if (at(r + dr, c + dc) !== group) {
          pen.moveTo(x + x1, y + y1);
          pen.lineTo(x + x2, y + y2);
        }
    }));
    pen.stroke();
  }
}

const figure = (caption, grid, options) =>
  element('figure', {}, element('figcaption', {}, caption), drawGrid(grid, options));

const joint = (text) => element('span', { class: 'joint' }, text);

const COLOR_NAMES = ['black', 'blue', 'red', 'green', 'yellow', 'gray', 'magenta', 'orange', 'sky', 'maroon'];

// Which number is which color.
function colorLegend(list) {
  list.replaceChildren(...look.palettes[look.palette].colors.map((color, k) => {
    const item = element('li', { title: `${k}: ${COLOR_NAMES[k]}` }, String(k));
    item.style.background = color;
    item.style.color = isLight(color) ? '#000' : '#fff';
    return item;
  }));
}

// A legend of the colors, the palette and digits: the same on every page; `redraw` runs after a change.
function lookControls(place, redraw) {
  const choice = element('select', { 'aria-label': 'palette', title: 'palette (p)' },
    ...Object.keys(look.palettes).map((name) => element('option', { value: name }, name)));
  const digits = element('button', { 'aria-pressed': 'false', title: 'digits (d)' }, '123');
  const legend = element('ul', { class: 'colors', 'aria-label': 'colors' });
  const apply = () => {
    colorLegend(legend);
    choice.value = look.palette;
    digits.setAttribute('aria-pressed', look.digits);
    digits.style.borderColor = look.digits ? 'var(--accent)' : '';
    redraw();
  };
  choice.addEventListener('change', () => { look.palette = choice.value; apply(); });
  digits.addEventListener('click', () => { look.digits = !look.digits; apply(); });
  choice.value = look.palette;
  colorLegend(legend);
  place.append(legend, choice, digits);
  return {
    nextPalette() {
      const names = Object.keys(look.palettes);
      look.palette = names[(names.indexOf(look.palette) + 1) % names.length];
      apply();
    },
    toggleDigits() { look.digits = !look.digits; apply(); },
  };
}

const readHash = () => new URLSearchParams(location.hash.slice(1));
const writeHash = (values) => {
  const hash = new URLSearchParams(Object.entries(values).filter(([, value]) => value)).toString();
  if (hash !== location.hash.slice(1)) history.replaceState(null, '', hash ? `#${hash}` : location.pathname + location.search);
};
const typing = (event) => /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== 'range';
