// "Is yours right?": a function of the reader's own is held to the builtin of the page, by the same code as in CI.

import { makeControls } from "./controls.js";
import { makeEditor, selectLine } from "./editor.js";
import { make } from "./elements.js";
import { pageEngine } from "./page-engine.js";
import { explanation } from "./results.js";

const SHOWN = 5;  // so many inputs that fail; the sentence counts all

export function attach(box, { inPage }) {
  const { builtin, signature } = box.dataset;
  const code = `import numpy as np\n\n\n${signature}\n    raise NotImplementedError("write it here")`;
  const hint = "ob-compare-hint";
  const status = make("p", { className: "ob-play-status", role: "status" });
  const found = make("div");
  const panel = make("div", { className: "ob-play", role: "group", "aria-label": "Your own function" });
  const controls = makeControls({
    name: "Compare",
    engine: pageEngine(inPage),
    panel,
    status,
    message: () => ({ do: "compare", builtin, code: `${field.value}\n` }),
    show: (answer) => show(answer, found, (line) => selectLine(field, line)),
  });
  const field = makeEditor({ code, label: "Your function, in Python", describedBy: hint, run: controls.run });
  const words = "Ctrl-Enter compares. Tab indents; Escape, then Tab leaves. A function NAME_gradient is its gradient.";
  const bar = make("div", { className: "ob-play-bar" }, ...controls.buttons, make("span", { className: "ob-play-hint", id: hint }, words));
  panel.append(field, bar, status, found);
  box.append(panel);
}

function show({ error, comparison }, box, goTo) {
  box.replaceChildren();
  if (error) {
    box.append(...explanation(error, goTo));
    return error.line ? `There is an error in line ${error.line}.` : "The comparison ended with an error.";
  }
  const failed = comparison.cases.filter((one) => one.status === "failed");
  const ordinary = failed.filter((one) => !one.is_edge);
  if (failed.length) box.append(...failures(ordinary.length ? ordinary : failed, ordinary.length ? "It fails on" : "It differs at the edge"));
  return comparison.sentence;
}

// The first few inputs, each once, with what is wrong, and for the first one a call to try it with.
function failures(cases, title) {
  const byLabel = new Map(cases.map((one) => [one.label, one]).reverse());
  const labels = [...byLabel.keys()].reverse();
  const more = labels.length - SHOWN;
  const items = labels.slice(0, SHOWN).map((label, place) => {
    const { message, what, dtype, paste } = byLabel.get(label);
    const about = [what === "value" ? "" : what, dtype].filter(Boolean).join(", ");
    const call = place ? [] : [make("code", {}, paste)];
    return make("li", {}, make("strong", {}, label), ` (${about}): ${message} `, ...call);
  });
  const list = make("ul", { className: "ob-compare-list" }, ...items);
  return [make("p", { className: "ob-play-title" }, title), list, ...(more > 0 ? [make("p", { className: "ob-play-value" }, `and ${more} more`)] : [])];
}
