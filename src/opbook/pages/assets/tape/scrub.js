// A field for a number that can be dragged to the left and right, typed over, and moved with the arrows up and down.

import { make } from "../play/elements.js";

const STEP = 0.1;
const PIXELS = 6;  // so far is one step

export function makeField(label, changed) {
  const field = make("input", { type: "number", step: "any", className: "ob-live-cell", "aria-label": label });
  let start = null;
  let isDragged = false;
  let isTyped = false;
  let last = "";  // the last number in the field, with which everything is computed

  const set = (number) => {
    isTyped = false;
    last = field.value = Number(number.toFixed(6));
    changed(Number(field.value));
  };
  field.addEventListener("input", () => {
    isTyped = true;
    if (field.value === "") return;
    last = field.value;
    changed(Number(field.value));
  });
  field.addEventListener("focus", () => { last = field.value; });
  field.addEventListener("blur", () => {
    isTyped = false;
    if (field.value === "") field.value = last;  // nothing was typed, or what is no number
  });
  field.addEventListener("keydown", (event) => {
    // while somebody types, arrows to the left and right move the cursor; otherwise they go from step to step
    if (!isTyped && ["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.stopPropagation();
    const by = { ArrowUp: STEP, ArrowDown: -STEP, PageUp: 1, PageDown: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    set(Number(field.value) + by);
  });
  field.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    start = { x: event.clientX, number: Number(field.value) };
    isDragged = false;
    field.setPointerCapture(event.pointerId);
  });
  field.addEventListener("pointermove", (event) => {
    const steps = start ? Math.trunc((event.clientX - start.x) / PIXELS) : 0;
    if (!start || (!steps && !isDragged)) return;
    isDragged = true;
    set(start.number + steps * STEP);
  });
  for (const end of ["pointerup", "pointercancel"]) field.addEventListener(end, () => { start = null; });
  field.addEventListener("mousedown", (event) => event.preventDefault());  // it would select text on the way
  field.addEventListener("click", () => {
    field.focus();
    if (!isDragged) field.select();
  });
  return field;
}
