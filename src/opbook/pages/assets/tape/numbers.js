// Arrays as numbers of few digits: in the boxes of the picture, and in the cells of a grid with colours.

import { make } from "../play/elements.js";

const DIGITS = 3;
const NOISE = 1e-12;  // what is left of numbers that cancel
const LONG = 4;
const TOLD = 12;  // so many numbers are read out, of more only the lowest and the highest

// As the build writes them into the picture: two decimals, or a power of ten if that would hide what it is.
export function brief(x) {
  const size = Math.abs(x);
  if (!Number.isFinite(x)) return infinite(x);
  if (size < NOISE) return "0";
  if (size < 0.005 || size >= 10000) return minus(x.toExponential(0).replace("e+", "e"));
  return minus(size < 1000 ? String(Number(x.toFixed(2))) : x.toFixed(0));
}

// As figures have them, in narrower cells: as many decimals as the largest number leaves worth showing, three at most.
function short(x, largest) {
  if (!Number.isFinite(x)) return infinite(x);
  const size = Math.max(Math.abs(x), largest);
  if (Math.abs(x) <= Math.max(1e-9 * size, NOISE)) return "0";
  const decimals = Math.max(DIGITS - Math.ceil(Math.log10(size)), 0);
  const rounded = Number(x.toFixed(Math.min(decimals, DIGITS)));
  if (size >= 0.01 && size < 1e5 && rounded) return minus(String(rounded));
  return minus(x.toExponential(size < 0.01 ? 1 : 0).replace("e+", "e"));
}

const minus = (text) => text.replaceAll("-", "\u2212");
const infinite = (x) => (Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "\u2212inf");

const largestOf = (values) => Math.max(0, ...values.filter(Number.isFinite).map(Math.abs));

export function inWords(values) {
  const largest = largestOf(values);
  if (values.length > TOLD) {
    const [low, high] = [Math.min(...values), Math.max(...values)].map((x) => short(x, largest));
    return `${values.length} numbers${low === high ? `, all ${low}` : ` from ${low} to ${high}`}`;
  }
  return `[${values.map((x) => short(x, largest)).join(", ")}]`;
}

// The lines of a box: columns aligned, four of each at most.
export function rowsOf(values, shape) {
  const length = shape.at(-1) ?? 1;
  const lines = [];
  for (let i = 0; i < values.length; i += length) lines.push(values.slice(i, i + length));
  const shown = lines.slice(0, 4).map((line) => line.slice(0, 4).map(brief));
  const widths = (shown[0] ?? []).map((_, j) => Math.max(...shown.map((line) => line[j].length)));
  const rows = shown.map((line) => line.map((text, j) => text.padStart(widths[j])).join("  "));
  const wide = length > 4 ? rows.map((row) => `${row}  \u2026`) : rows;
  return lines.length > 4 ? [...wide, "\u2026"] : wide;
}

// Cells in rows of the last axis, the matrices of more axes beside each other; a row that is long goes on in the next line.
// Cells that are fields stay what they are while somebody types into them.
export function makeGrid(shape, cell = () => make("span", { className: "ob-live-cell" })) {
  const size = shape.reduce((product, length) => product * length, 1);
  const [columns, rows] = [shape.at(-1) ?? 1, shape.at(-2) ?? 1];
  const cells = Array.from({ length: size }, (_, i) => cell(i));
  const isLong = columns > LONG;
  const isShown = cells[0]?.localName === "span";
  const element = make("span", { className: "ob-live-grid", role: isShown ? "img" : "group" });
  element.style.setProperty("--ob-columns", columns);
  const together = isLong ? columns : rows * columns;
  for (let i = 0; i < size; i += together) {
    element.append(make("span", { className: isLong ? "ob-live-row" : "ob-live-matrix" }, ...cells.slice(i, i + together)));
  }

  // The numbers, and how strong their colours are beside the largest of the array.
  function show(values, label) {
    const largest = largestOf(values);
    cells.forEach((one, i) => {
      if (isShown) one.textContent = short(values[i], largest);
      else if (one !== document.activeElement || Number(one.value) !== values[i]) one.value = values[i];
      const part = Number.isFinite(values[i]) && largest >= NOISE ? values[i] / largest : 0;  // what reads 0 has no colour
      one.style.setProperty("--ob-part", `${Math.round(Math.abs(part) * 100)}%`);
      one.classList.toggle("ob-live-negative", part < 0);
    });
    element.setAttribute("aria-label", isShown ? `${label}: ${inWords(values)}` : label);
  }
  return { element, show };
}
