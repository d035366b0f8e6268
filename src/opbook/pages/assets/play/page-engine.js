// Python in the page: a worker, which is started by the first message, and shared by all examples of the page.

import { failed } from "./answers.js";

let worker = null;
let ready = null;
let pending = null;  // what waits for the answer

function start(parts) {
  worker = new Worker(new URL("worker.js", import.meta.url));
  ready = new Promise((resolve) => {
    worker.onmessage = ({ data }) => {
      if (data.ready) resolve();
      else if (data.broken) end(`Python in the page does not run: ${data.broken}`);
      else pending?.(data.answer);
    };
  });
  worker.onerror = (event) => end(`Python could not be loaded into the page: ${event.message || "a file is missing"}`);
  worker.postMessage({ parts });
}

function end(reason) {
  worker?.terminate();
  worker = null;
  pending?.(failed(reason));
}

export function pageEngine(parts) {
  return {
    async ask(message, say) {
      if (pending) return failed("Another example of this page is running. Stop it first.");
      const answered = new Promise((resolve) => { pending = resolve; });
      if (!worker) {
        say(`Loading Python into the page, ${parts.megabytes} MB, once ...`);
        start(parts);
      }
      await Promise.race([ready, answered]);
      say("Running ...");
      worker?.postMessage({ message });
      return answered.finally(() => { pending = null; });
    },
    // Python can't be interrupted here; the next run begins with a new one, out of the browser's cache.
    stop() {
      end("the program was stopped");
    },
  };
}
