// The code of the definition and of the functions that it calls, as they stand on the page, of which lines can be lit.

import { make } from "../play/elements.js";

export function makeDefinition() {
  const element = make("div", { className: "ob-live-codes" });
  const definition = listing(document.querySelector(".ob-definition pre > code"));
  const helpers = new Map([...document.querySelectorAll(".ob-helper")].map((helper) => [
    helper.querySelector("summary code").textContent,
    listing(helper.querySelector("pre > code")),
  ]));

  // The line of the definition that is running, and where that is in a function which it calls, the line there.
  function light({ line, within, code }) {
    const helper = helpers.get(within);
    definition?.lines.forEach((one, i) => one.classList.toggle("ob-live-lit", i + 1 === line));
    helper?.lines.forEach((one) => one.classList.toggle("ob-live-lit", one.textContent.includes(code)));
    element.replaceChildren(...[definition, helper].filter(Boolean).map((one) => one.element));
  }
  return { element, light };
}

function listing(code) {
  const lines = code && linesOf(code).map((html) => make("span", { className: "ob-live-line", innerHTML: `${html}\n` }));
  return code && { lines, element: make("pre", { className: "ob-live-code" }, make("code", {}, ...lines)) };
}

// The lines as HTML with their colours, unless one of these goes on over the end of a line.
function linesOf(code) {
  const lines = code.innerHTML.trimEnd().split("\n");
  const isWhole = (line) => make("span", { innerHTML: line }).innerHTML === line;
  if (lines.every(isWhole)) return lines;
  return code.textContent.trimEnd().split("\n").map((text) => make("span", { textContent: text }).innerHTML);
}
