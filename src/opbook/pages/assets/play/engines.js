// What runs examples: the server that shows this page, or Python in the page. Both take and give the same messages:
// see "Messages of the playground" in the reference.

import { failed } from "./answers.js";
import { pageEngine } from "./page-engine.js";

const ADDRESS = "/opbook-playground";

// The engine for a language: the server is there at once, so the notation is run by it where there is one.
export function engineFor(language, { server, inPage }) {
  return server && language === "qu" ? serverEngine(server) : pageEngine(inPage);
}

function serverEngine(token) {
  let running = null;

  async function send(message) {
    const response = await fetch(ADDRESS, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Opbook-Token": token },
      body: JSON.stringify(message),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }

  return {
    async ask(message) {
      running = message.id;
      try {
        return await send(message);
      } catch (error) {
        return failed(`The server did not run it: ${error.message}`);
      } finally {
        running = null;
      }
    },
    stop() {
      if (running) send({ do: "stop", id: running }).catch(() => {});  // who waits for the answer is told
    },
  };
}
