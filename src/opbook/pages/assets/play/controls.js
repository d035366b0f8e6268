// The buttons Run and Stop, and what happens between them: one message to an engine, and its answer.

import { make } from "./elements.js";

let count = 0;

export function makeButton(text, act, properties = {}) {
  const button = make("button", { type: "button", className: "ob-play-button", ...properties }, text);
  button.addEventListener("click", () => act(button));
  return button;
}

// `message` makes what is asked; `show` takes the answer and gives a sentence for `status`, which is read out.
export function makeControls({ name, engine, panel, status, message, show }) {
  const runButton = makeButton(name, run, { title: "Ctrl-Enter" });
  const stopButton = makeButton("Stop", () => engine.stop(), { disabled: true });

  async function run() {
    if (!stopButton.disabled) return;
    stopButton.disabled = false;
    panel.setAttribute("aria-busy", "true");
    const say = (text) => { status.textContent = text; };
    say("Running ...");
    const answer = await engine.ask({ version: 1, id: `run-${Date.now()}-${(count += 1)}`, ...message() }, say);
    stopButton.disabled = true;
    panel.removeAttribute("aria-busy");
    say(show(answer));
  }

  function stop() {
    if (!stopButton.disabled) engine.stop();
  }

  return { run, stop, buttons: [runButton, stopButton] };
}
