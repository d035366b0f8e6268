// The picture of the tape and its list, which are on the page already: they get the numbers of now, and a box is lit.

import { rowsOf } from "./numbers.js";

export function makePicture(frame, boxes, choose) {
  const cards = [...frame.querySelectorAll(".ob-tape-picture .ob-tape-card")].map((card) => card.parentNode);
  const items = [...frame.querySelectorAll(".ob-tape-list > li")];
  frame.classList.add("ob-tape-live");
  boxes.forEach((box, i) => cards[i]?.addEventListener("click", () => choose(box)));

  function show(model) {
    boxes.forEach((box, i) => {
      for (const [kind, mark, array] of [["value", "\u2193", model.value(box)], ["cotangent", "\u2191", model.incoming(box)]]) {
        const rows = rowsOf(array, box.shape);
        if (cards[i]) write(cards[i], kind, rows);
        const text = items[i]?.querySelector(`.ob-tape-${kind}`);
        if (text) text.textContent = rows.map((row, j) => `${j ? " " : mark} ${row}`).join("\n");
      }
    });
  }

  // Rows that have become wider than their box are pressed together.
  function write(card, kind, rows) {
    const texts = [...card.querySelectorAll(`.ob-tape-${kind} > text`)].slice(1);
    const room = card.querySelector("rect").width.baseVal.value - 2 * card.querySelector("text").x.baseVal[0].value;
    texts.forEach((text, j) => {
      text.textContent = rows[j] ?? "";
      text.removeAttribute("textLength");
      const space = room - 15;
      if (text.getComputedTextLength() > space) {
        text.setAttribute("textLength", space);
        text.setAttribute("lengthAdjust", "spacingAndGlyphs");
      }
    });
  }

  function light(box) {
    const lit = boxes.indexOf(box);
    for (const parts of [cards, items]) parts.forEach((part, i) => part.classList.toggle("ob-tape-lit", i === lit));
    const part = [cards[lit], items[lit]].find((one) => one?.checkVisibility());
    if (part) bringIntoView(part);
  }

  // The frame scrolls, and the page stays.
  function bringIntoView(part) {
    const [inner, outer] = [part.getBoundingClientRect(), frame.getBoundingClientRect()];
    frame.scrollBy({
      left: inner.left + inner.width / 2 - outer.left - outer.width / 2,
      top: inner.top + inner.height / 2 - outer.top - outer.height / 2,
      behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth",
    });
  }

  return { show, light };
}
