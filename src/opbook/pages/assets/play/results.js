// What a run gave, beside what the page shows: with a mark at every line and figure that is another one.

import { make } from "./elements.js";

// The output and the figures that the page shows for an example, with the values that its code has.
export function builtResult(block) {
  const next = block.nextElementSibling;
  const output = next?.classList.contains("language-output") ? next : null;
  const after = output ? output.nextElementSibling : next;
  const figures = after?.querySelector(":scope > :is(.ob-figures, .ob-frames)") ? after : null;
  const slider = figures?.querySelector(".ob-slider input");
  if (slider) {
    slider.value = slider.defaultValue;
    slider.dispatchEvent(new Event("input"));
  }
  return {
    elements: [output, figures].filter(Boolean),
    lines: linesOf(output?.querySelector("pre > code").textContent ?? ""),
    figures: figures ? [...figures.querySelectorAll(":not(.ob-frame:not([data-shown]) *).ob-figure > svg")].map(drawing) : [],
  };
}

// Show an answer, and say in a sentence what became of the run.
export function show(answer, box, built, goTo) {
  if (answer.verdict) return judged(answer.verdict, box);
  const { printed, value, figures, error, seconds, rules } = answer;
  const lines = linesOf(printed);
  const mistake = linesOf(error?.message ?? "");
  const changed = newLines([...lines, ...mistake], built.lines);
  const isAsBuilt = changed.size === 0 && lines.length + mistake.length === built.lines.length;
  const drawn = figures.map(picture);
  const redrawn = drawn.filter((figure, place) => drawing(figure.querySelector("svg")) !== built.figures[place]);
  redrawn.forEach((figure) => figure.prepend(make("span", { className: "ob-play-changed" }, "new")));

  const parts = [];
  if (lines.length) parts.push(output(lines, changed));
  if (value !== null) parts.push(make("p", { className: "ob-play-value" }, "Value ", make("code", {}, value)));
  if (error) parts.push(...explanation(error, goTo));
  if (drawn.length) parts.push(make("div", { className: "ob-figures" }, ...drawn));
  if (!parts.length) parts.push(make("p", { className: "ob-play-value" }, "It prints and draws nothing."));
  if (rules?.length) parts.push(make("p", { className: "ob-play-value" }, rules.map(ruleUsed).join("; ")));
  box.replaceChildren(make("p", { className: "ob-play-title" }, "Your run"), ...parts);

  if (error && !isAsBuilt) return error.line ? `There is an error in line ${error.line}.` : "The run ended with an error.";
  const time = seconds < 0.01 ? "less than 0.01" : seconds.toFixed(2);
  const differences = [
    count(changed.size, "line", "new"),
    changed.size ? "" : count(built.lines.length - lines.length - mistake.length, "line", "gone"),
    count(redrawn.length, "figure", "new"),
    count(built.figures.length - drawn.length, "figure", "gone"),
  ].filter(Boolean);
  return `Ran in ${time} s: ${differences.join(", ") || "the same as on the page"}.`;
}

// Which rule computed a builtin that several plugins have one for.
function ruleUsed({ builtin, rule, package: from, seconds }) {
  const time = `${(1000 * seconds).toPrecision(2)} ms`;
  return rule === "own" ? `${builtin}: its own rule, ${time}` : `${builtin}: rule ${rule} of ${from}, ${time}`;
}

function judged({ passed, message, call, mistakes }, box) {
  const told = call ? `${message}\non ${call}` : message;
  const parts = passed ? [] : [make("pre", { className: "ob-play-error", tabIndex: 0, "aria-label": "What the check says" }, told)];
  parts.push(...mistakes.map((mistake) => make("p", { className: "ob-play-value" }, `A usual cause: ${mistake}.`)));
  box.replaceChildren(...parts);
  return passed ? "The answer is right." : "The answer is not right yet.";
}

function count(number, noun, what) {
  return number > 0 ? `${number} ${noun}${number === 1 ? "" : "s"} ${what}` : "";
}

function output(lines, changed) {
  const shown = lines.map((line, place) => make(changed.has(place) ? "mark" : "span", {}, `${line}\n`));
  return make("pre", { className: "ob-play-output", tabIndex: 0, "aria-label": "Output" }, ...shown);
}

export function explanation(error, goTo) {
  const parts = [make("pre", { className: "ob-play-error", tabIndex: 0, "aria-label": "Error" }, error.message)];
  if (error.line && !error.message.startsWith("<above>")) {
    const button = make("button", { type: "button", className: "ob-play-button" }, `Go to line ${error.line}`);
    button.addEventListener("click", () => goTo(error.line));
    parts.push(button);
  }
  return parts;
}

function picture({ title, svg }) {
  const figure = make("span", { className: "ob-figure" });
  figure.innerHTML = svg;  // drawn by opbook, which escapes every text in it
  if (title) figure.prepend(make("span", { className: "ob-caption" }, title));
  return figure;
}

// A figure without its ids, which are other ones in every place, and without what marks a cell that was pointed at.
function drawing(svg) {
  return svg.outerHTML.replace(/ (id|aria-labelledby|data-search-exclude)="[^"]*"|<rect class="ob-marker".*?<\/rect>/g, "");
}

function linesOf(text) {
  return text.replace(/\n$/, "").split("\n").filter((line, place, all) => all.length > 1 || line);
}

// The places of lines that are not part of the longest sequence that both have.
function newLines(lines, before) {
  if (lines.length * before.length > 1_000_000) return new Set(lines.flatMap((line, place) => (line === before[place] ? [] : [place])));
  const longest = Array.from({ length: lines.length + 1 }, () => new Uint16Array(before.length + 1));
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    for (let j = before.length - 1; j >= 0; j -= 1) {
      longest[i][j] = lines[i] === before[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const found = new Set();
  for (let i = 0, j = 0; i < lines.length;) {
    if (j < before.length && lines[i] === before[j]) { i += 1; j += 1; }
    else if (j < before.length && longest[i][j + 1] >= longest[i + 1][j]) j += 1;
    else { found.add(i); i += 1; }
  }
  return found;
}
