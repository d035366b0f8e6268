// The panel above the picture of a tape: the numbers of the example, to be changed, and one step of the tape at a time.

import { makeButton } from "../play/controls.js";
import { make } from "../play/elements.js";
import { makeDefinition } from "./definition.js";
import { makeModel } from "./model.js";
import { inWords, makeGrid } from "./numbers.js";
import { makePicture } from "./picture.js";
import { makeField } from "./scrub.js";
import { inSentences, makeDetails } from "./step.js";

const HINT = "The arrow keys go from step to step.";
const LIVE = `Drag a number, or type another one: all values and gradients follow. ${HINT}`;
const FIXED = `${HINT} The numbers are fixed: others might take other steps, or be refused.`;

const nameOf = (box) => box.name || "result";

export function open(frame, tape) {
  const { boxes } = tape;
  const model = makeModel(tape);
  const steps = boxes.filter((box) => box.parents.length);
  const redrawn = [];  // what shows numbers
  let at = 0;

  const definition = makeDefinition();
  const details = makeDetails();
  const picture = makePicture(frame, boxes, (box) => { if (box.parents.length) show(steps.indexOf(box)); });
  const range = make("input", { type: "range", min: 1, max: steps.length, value: 1, "aria-label": "Step of the tape" });
  const status = make("p", { className: "ob-live-status", role: "status" });
  const back = makeButton("\u2190 Back", () => show(at - 1));
  const forward = makeButton("Forward \u2192", () => show(at + 1));
  const reset = makeButton("Reset", () => { model.reset(); follow(); });
  const panel = make(
    "div",
    { className: "ob-live", role: "group", "aria-label": "The tape, step by step" },
    make("p", { className: "ob-live-hint" }, model.isLive ? LIVE : FIXED),
    ...(model.isLive ? [make("div", { className: "ob-live-numbers" }, ...boxes.filter((box) => box.given || box.seed).map(block))] : []),
    make("div", { className: "ob-live-bar" }, range, back, forward, ...(model.isLive ? [reset] : [])),
    make("div", { className: "ob-live-step" }, definition.element, details.element),
    status,
  );

  // An input and its gradient, or a result and the cotangent that was chosen for it.
  function block(box) {
    const name = nameOf(box);
    const [above, below] = box.given ? ["value", "gradient"] : ["value", "cotangent"];
    const array = (what, numbersOf, label) => {
      const cell = (i) => makeField(`${name}, ${label}, entry ${i + 1}`, (number) => { model.set(box, what, i, number); follow(); });
      const grid = box[what] ? makeGrid(box.shape, cell) : makeGrid(box.shape);
      redrawn.push(() => grid.show(numbersOf(box), `${name}, ${label}`));
      return [make("span", { className: "ob-live-what" }, label), grid.element];
    };
    return make(
      "div",
      { className: "ob-live-block" },
      make("span", { className: "ob-live-name" }, name),
      ...array("given", model.value, above),
      ...array("seed", box.seed ? model.seed : model.incoming, below),
    );
  }

  function redraw() {
    redrawn.forEach((draw) => draw());
    picture.show(model);
    show(at);
  }

  // After a number has changed: what comes of it is read out.
  function follow() {
    redraw();
    const told = boxes.filter((box) => box.given || box.seed).map((box) => (box.given
      ? `gradient of ${nameOf(box)} ${inWords(model.incoming(box))}`
      : `${nameOf(box)} ${inWords(model.value(box))}`));
    status.textContent = told.reverse().join("; ");
  }

  function show(place) {
    at = Math.min(Math.max(place, 0), steps.length - 1);
    const box = steps[at];
    const step = { box, number: at + 1, count: steps.length, value: model.value(box), incoming: model.incoming(box), passed: model.passedOn(box) };
    range.value = step.number;
    range.setAttribute("aria-valuetext", inSentences(step));
    back.setAttribute("aria-disabled", at === 0);  // a button that is disabled would lose the keyboard
    forward.setAttribute("aria-disabled", at === steps.length - 1);
    definition.light(box);
    details.show(step);
    picture.light(box);
  }

  range.addEventListener("input", () => show(range.value - 1));
  panel.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || event.target === range || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    show(at + by);
  });

  frame.before(panel);
  redraw();
}
