// What happens in one step: what it computes, what comes back to it, and what it passes on to each of its parents.

import { make } from "../play/elements.js";
import { inWords, makeGrid } from "./numbers.js";

const SUMMED = 4;  // so many products of a sum are shown

const titleOf = (box) => box.name || box.code;
const written = (box) => [box.name, box.code].filter(Boolean).join(" = ");

export function makeDetails() {
  const element = make("div", { className: "ob-live-details" });

  function show({ box, number, count, value, incoming, passed }) {
    const where = box.within ? [" in ", make("code", {}, box.within)] : [];
    element.replaceChildren(
      make("p", {}, make("strong", {}, `Step ${number} of ${count}`), " ", make("code", {}, written(box)), ...where),
      make(
        "div",
        { className: "ob-live-numbers" },
        block(["this step"], array("value", value, box.shape), array("incoming", incoming, box.shape)),
        ...passed.map(passedOn),
      ),
    );
  }
  return { element, show };
}

function passedOn({ parent, total, local, incoming, products, entry, isShared }) {
  const factors = local
    ? [array("local derivative", local, parent.shape), array("\u00d7 incoming", incoming, parent.shape)]
    : [[make("p", {}, `Each entry is used several times: its gradient is the sum of local derivative \u00d7 incoming. At ${placeOf(entry, parent.shape)}: ${sumOf(products)}`)]];
  const gradient = array(isShared ? "adds to gradient" : "= gradient", total, parent.shape);
  return block(["to ", make("code", {}, titleOf(parent))], ...factors, gradient);
}

function block(name, ...arrays) {
  return make("div", { className: "ob-live-block" }, make("span", { className: "ob-live-name" }, ...name), ...arrays.flat());
}

function array(label, values, shape) {
  const grid = makeGrid(shape);
  grid.show(values, label);
  return [make("span", { className: "ob-live-what" }, label), grid.element];
}

function sumOf(products) {
  const rest = products.length > SUMMED ? " + \u2026" : "";
  return products.slice(0, SUMMED).map(([slope, g]) => `${inWords([slope]).slice(1, -1)} \u00d7 ${inWords([g]).slice(1, -1)}`).join(" + ") + rest;
}

function placeOf(entry, shape) {
  let rest = entry;
  const place = shape.toReversed().map((length) => {
    const index = rest % length;
    rest = (rest - index) / length;
    return index;
  });
  return `[${place.reverse().join(", ")}]`;
}

// The same in words, to be read out.
export function inSentences({ box, number, count, value, incoming, passed }) {
  const parts = passed.map(({ parent, total, local }) => {
    const factor = local ? `local derivative ${inWords(local)}, ` : "";
    return `to ${titleOf(parent)}: ${factor}gradient ${inWords(total)}`;
  });
  const first = `step ${number} of ${count}: ${written(box)} \u2192 ${inWords(value)}`;
  return [first, `incoming ${inWords(incoming)}`, ...parts].join("; ");
}
