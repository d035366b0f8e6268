// The editor of one example: it stands in the place of its code, with the results of both beside each other below.

import { copy } from "./command.js";
import { makeEditor, selectLine, setCode } from "./editor.js";
import { make } from "./elements.js";
import { engineFor } from "./engines.js";
import { builtResult, show } from "./results.js";

let count = 0;

export function open(example, engines) {
  const { block, language, code, exercise } = example;
  if (example.panel) {
    example.panel.reopen();
    return;
  }
  const engine = engineFor(language, engines);
  const id = `ob-play-${(count += 1)}`;
  const built = builtResult(block);
  const yours = make("div", { className: "ob-play-yours" });
  const onPage = make("div", { className: "ob-play-built" });
  const status = make("p", { className: "ob-play-status", role: "status" });
  const field = makeEditor({ code: code.replace(/\n$/, ""), label: `Code of the example, in ${language === "qu" ? "Qu" : "Python"}`, describedBy: `${id}-hint`, run });

  const action = (text, act, properties = {}) => {
    const button = make("button", { type: "button", className: "ob-play-button", ...properties }, text);
    button.addEventListener("click", () => act(button));
    return button;
  };
  const runButton = action(exercise ? "Check" : "Run", run, { title: "Ctrl-Enter" });
  const stopButton = action("Stop", () => engine.stop(), { disabled: true });
  const bar = make(
    "div",
    { className: "ob-play-bar" },
    runButton,
    stopButton,
    action("Reset", reset),
    ...(language === "qu" && !example.before.length
      ? [action("Copy as opbook eval", (button) => copy(field.value, button))]
      : []),
    action("Close", close),
    make("span", { className: "ob-play-hint", id: `${id}-hint` }, `Ctrl-Enter ${exercise ? "checks" : "runs"}. Tab indents; Escape, then Tab leaves.`),
  );
  const results = make("div", { className: "ob-play-results" }, onPage, yours);
  const panel = make("div", { className: "ob-play", role: "group", "aria-label": "The example, to be changed" }, field, bar, status, results);

  // The built results go into the panel, and back where they were when it is closed.
  function reopen() {
    block.after(panel);
    block.hidden = true;
    onPage.append(...built.elements);
    field.focus();
  }

  function close() {
    if (!stopButton.disabled) engine.stop();
    panel.replaceWith(...built.elements);
    block.hidden = false;
    block.querySelector(".ob-play-corner").focus();
  }

  function reset() {
    setCode(field, code.replace(/\n$/, ""));
    yours.replaceChildren();
    status.textContent = "The example is what it was.";
  }

  async function run() {
    if (!stopButton.disabled) return;
    stopButton.disabled = false;
    panel.setAttribute("aria-busy", "true");
    status.textContent = "Running ...";
    const what = exercise ? { do: "judge", exercise } : { do: "run", before: example.before };
    const message = { version: 1, ...what, id: `${id}-${Date.now()}`, language, code: `${field.value}\n` };
    const answer = await engine.ask(message, (text) => { status.textContent = text; });
    stopButton.disabled = true;
    panel.removeAttribute("aria-busy");
    status.textContent = show(answer, yours, built, (line) => selectLine(field, line));
  }

  example.panel = { reopen };
  reopen();
}
